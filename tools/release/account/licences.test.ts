import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Material, unknownLicences, writeLicences } from './licences.ts'

const of = (...licences: readonly string[]): Material => ({
  name: 'a',
  version: '1.0.0',
  purl: 'pkg:npm/a@1.0.0',
  licences,
  place: 'image',
})
const names = {
  registry: 'r',
  image: 'i',
  npmScope: '@s',
  pythonPackage: 'p',
  repository: 'u',
  site: 'u',
  contact: 'c',
}

test('a licence that is not on the list is unknown, and so is a missing licence', () => {
  assert.deepEqual(unknownLicences([of('MIT'), of('ISC', 'Apache-2.0')]), [])
  for (const licences of [[], ['GPL-3.0-only'], ['MIT', 'SSPL-1.0'], ['UNLICENSED'], ['mit'], ['LGPL-2.1-or-later']])
    assert.equal(unknownLicences([of('MIT'), of(...licences)]).length, 1, licences.join(' '))
})

test("Debian's libraries may have licences that a package of npm may not", () => {
  const library = { ...of('LGPL-2.1-or-later'), purl: 'pkg:deb/debian/libc6@2?arch=amd64' }
  assert.deepEqual(unknownLicences([library]), [])
})

test('an unknown licence fails the report of licences', (context) => {
  const out = mkdtempSync(join(tmpdir(), 'licences-'))
  context.after(() => rmSync(out, { recursive: true }))
  const place = { stage: out, scratch: out, out, environment: {}, say: () => undefined }
  const releaseBuild = { ...place, version: '1.2.3', epoch: 0, names }
  assert.throws(() => writeLicences(releaseBuild, [of('MIT'), of('SSPL-1.0')]), /a 1\.0\.0: SSPL-1\.0/)
  assert.equal(existsSync(join(out, 'llm-gateway-licences-1.2.3.md')), false)
})
