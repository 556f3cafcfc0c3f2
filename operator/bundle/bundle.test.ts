import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import packageFile from '../package.json' with { type: 'json' }
import { buildBundle } from './build-bundle.ts'

/** Loads a program and prints its resident memory in MB. */
const WEIGH = `
  process.argv.splice(1, process.argv.length, 'operator', '--version')
  process.exit = () => { throw 0 }
  await import(process.env.WEIGHED).catch(() => undefined)
  console.log('MB ' + process.memoryUsage.rss() / 1e6)`

describe('the operator in one file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'))
  const file = join(folder, 'operator.mjs')
  before(async () => {
    await buildBundle(file)
  })
  after(() => rmSync(folder, { recursive: true }))

  test('the bundle runs in any folder, without packages or sources beside it', () => {
    const printed = execFileSync(process.execPath, [file, '--version'], { cwd: folder, encoding: 'utf8', env: {} })
    assert.equal(printed, `${packageFile.version}\n`)
    const { status, stderr } = spawnSync(process.execPath, [file, '--port', 'x'], { encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, /^operator: --port: x is no port$/m)
  })

  test('the bundle leaves out the client that runs credential plugins', () => {
    const text = readFileSync(file, 'utf8')
    assert.match(text, /import\("@kubernetes\/client-node"\)/)
    assert.doesNotMatch(text, /class KubeConfig\b/)
  })

  test('the loaded bundle needs a quarter less resident memory than its sources', () => {
    const weigh = (weighed: string): number => {
      const argv = ['--input-type=module', '-e', WEIGH]
      const printed = execFileSync(process.execPath, argv, { encoding: 'utf8', env: { WEIGHED: weighed } })
      return Number(/MB ([\d.]+)/.exec(printed)?.[1])
    }
    const bundled = weigh(file)
    const sources = weigh(join(import.meta.dirname, '../src/main.ts'))
    console.log(`resident: ${Math.round(bundled)} MB of one file, ${Math.round(sources)} MB of sources`)
    assert.ok(bundled < sources * 0.75, `${bundled} MB, ${sources} MB`)
  })
})
