import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { findJemalloc, jemallocVariables } from './jemalloc.ts'

const MAIN = join(import.meta.dirname, 'main.ts')
/** Prints, in each process that runs the program, whether jemalloc is in its memory. */
const PRINT_MAPS = `data:text/javascript,${encodeURIComponent(
  "import { readFileSync } from 'node:fs'; console.log('jemalloc', readFileSync('/proc/self/maps', 'utf8').includes('libjemalloc'))",
)}`

suite('jemalloc', { skip: process.platform !== 'linux' && 'it is preloaded on Linux only' }, () => {
  test('is found at the first place that has it and that the loader can read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'jemalloc-'))
    const places = ['missing', 'with space', 'with:colon', 'plain', 'later'].map((name) => join(folder, name))
    for (const place of places.slice(1)) {
      mkdirSync(place)
      writeFileSync(join(place, 'libjemalloc.so.2'), '')
    }
    const files = places.map((place) => join(place, 'libjemalloc.so.2'))
    assert.equal(findJemalloc(files), files[3])
    assert.equal(findJemalloc(files.slice(0, 3)), undefined)
    rmSync(folder, { recursive: true })
  })

  test('is not asked for where there is none', () => {
    assert.deepEqual(jemallocVariables(undefined), {})
  })

  /** Starts the gateway's program with variables of its own; returns the first and the last line of the preload. */
  const startMain = (variables: NodeJS.ProcessEnv) => {
    const { LD_PRELOAD: _, MALLOC_CONF: __, ...environment } = process.env
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', PRINT_MAPS, MAIN, '--version'], {
      encoding: 'utf8',
      env: { ...environment, ...variables },
    })
    return { lines: stdout.split('\n').filter((line) => line.startsWith('jemalloc')), stderr }
  }

  test('allocates for the gateway, and takes all settings', () => {
    assert.ok(findJemalloc() !== undefined, '`make setup` installs it')
    assert.deepEqual(startMain({}), { lines: ['jemalloc false', 'jemalloc true'], stderr: '' })
  })

  test('stays out of a gateway whose caller sets another allocator', () => {
    assert.deepEqual(startMain({ LD_PRELOAD: '' }), { lines: ['jemalloc false', 'jemalloc false'], stderr: '' })
  })
})
