import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { findProgram } from '../../setup/find-program.ts'
import { fetchPackages } from './fetch-packages.ts'
import { type PinnedPackage, readPins } from './pinned-package.ts'

const ROOT = join(import.meta.dirname, '../../..')
const skip = findProgram('apt-get', process.env.PATH ?? '') === undefined && 'the mirror is asked by apt-get'
/** The smallest package. */
const pin = readPins(ROOT).amd64?.find(({ name }) => name === 'gcc-12-base')
assert.ok(pin !== undefined)
const missingPackage: PinnedPackage = { ...pin, version: '12.0.0-0', sha256: '0'.repeat(64) }

suite("Debian's packages from the mirror", { skip, timeout: 600_000 }, () => {
  const fetchPins = async (pins: readonly PinnedPackage[], isRelease: boolean) => {
    const root = mkdtempSync(join(tmpdir(), 'debian-'))
    const outputLines: string[] = []
    const imageBuild = { root, environment: process.env, isRelease, say: (line: string) => void outputLines.push(line) }
    const outcome = await fetchPackages({ pins, architecture: 'amd64', imageBuild })
    const isThere =
      outcome.kind === 'ready' && outcome.packages.every(({ folder }) => existsSync(join(folder, 'files/usr')))
    const left = readdirSync(join(root, '.tools/image/debian'))
    rmSync(root, { recursive: true })
    return { outcome, outputLines, isThere, left }
  }

  test('a version that the mirror no longer has fails a release, which names the package', async () => {
    const { outcome, left } = await fetchPins([missingPackage], true)
    assert.ok(outcome.kind === 'unavailable')
    assert.match(outcome.reason, /^gcc-12-base 12\.0\.0-0, which is pinned, can't be had: /)
    assert.deepEqual(left, [])
  })

  test('any other build takes the newest version instead and says so', async () => {
    const { outcome, outputLines, isThere } = await fetchPins([missingPackage], false)
    assert.ok(outcome.kind === 'ready' && isThere)
    const [found] = outcome.packages
    assert.notEqual(found?.version, missingPackage.version)
    assert.deepEqual(outputLines, [
      `image: gcc-12-base 12.0.0-0 is no longer available; the build uses ${found?.version}`,
    ])
  })

  test('a file with another hash than the pinned hash fails each build', async () => {
    const { outcome: newest } = await fetchPins([missingPackage], false)
    assert.ok(newest.kind === 'ready' && newest.packages[0] !== undefined)
    const { name, version } = newest.packages[0]
    const { outcome } = await fetchPins([{ name, version, sha256: 'f'.repeat(64) }], false)
    assert.ok(outcome.kind === 'unavailable')
    assert.match(outcome.reason, /is not the file that was pinned$/)
  })
})
