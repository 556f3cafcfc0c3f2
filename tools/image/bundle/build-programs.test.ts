import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type BundleFile, buildPrograms } from './build-programs.ts'
import { BUNDLE_FOLDER, bundlePlan } from './bundle-plan.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** Loads a program and prints its resident memory in MB, without the compile cache. */
const MEASURE_MEMORY = `
  process.argv.splice(1, process.argv.length, 'program', '--version')
  process.exit = () => { throw 0 }
  await import(process.env.WEIGHED).catch(() => undefined)
  console.log('MB ' + process.memoryUsage.rss() / 1e6)`

describe('the programs as bundles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'))
  const bundles = join(folder, BUNDLE_FOLDER)
  let files: readonly BundleFile[] = []
  before(async () => {
    files = await buildPrograms(ROOT, bundlePlan(ROOT))
    mkdirSync(bundles)
    for (const { name, content } of files) writeFileSync(join(bundles, name), content)
  })
  after(() => rmSync(folder, { recursive: true }))

  test('each bundle is ASCII, so that V8 keeps it with one byte a character', () => {
    assert.ok(files.length > 30)
    for (const { name, content } of files) assert.ok(!content.some((byte) => byte > 0x7f), name)
  })

  for (const { program, source } of [
    { program: 'gateway-main', source: 'gateway/src/main.ts' },
    { program: 'processors-tokenizer-main', source: 'processors/tokenizer/src/main.ts' },
  ])
    test(`${program} needs a fifth less resident memory than its sources`, () => {
      const weigh = (weighed: string): number => {
        const env = { WEIGHED: weighed, NODE_DISABLE_COMPILE_CACHE: '1', NODE_COMPILE_CACHE: '', MALLOC_ARENA_MAX: '1' }
        const flags = [
          '--max-semi-space-size=8',
          '--no-maglev',
          '--heap-growing-percent=50',
          '--no-allocation-site-pretenuring',
          '--no-memory-reducer-favors-memory',
          '--retain-maps-for-n-gc=1000',
        ]
        const argv = [...flags, '--input-type=module', '-e', MEASURE_MEMORY]
        const output = execFileSync(process.execPath, argv, { encoding: 'utf8', env })
        return Number(/MB ([\d.]+)/.exec(output)?.[1])
      }
      const [bundled, sources] = [weigh(join(bundles, `${program}.mjs`)), weigh(join(ROOT, source))]
      console.log(`resident: ${Math.round(bundled)} MB of a bundle, ${Math.round(sources)} MB of sources`)
      assert.ok(bundled < sources * 0.8, `${bundled} MB, ${sources} MB`)
    })
})
