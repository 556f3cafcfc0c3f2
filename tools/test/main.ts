import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { type FileRun, suiteMinutes } from './suite-minutes.ts'

// Every test file in one run, so that there is one summary.
const EVERYTHING = [
  'conf/src/**/*.test.ts',
  'crds/src/**/*.test.ts',
  'processors/*/src/**/*.test.ts',
  'gateway/src/**/*.test.ts',
  'gateway/ginit/src/**/*.test.ts',
  'operator/{src,bundle}/**/*.test.ts',
  'charts/**/*.test.ts',
  'tools/**/*.test.ts',
  'test/*.test.ts',
  'test/!(node_modules)/**/*.test.ts',
]
// A file that hangs must fail its run, not hold it for ever.
const FILE_TIMEOUT_MS = 900_000

// One that timed out may live on, with what it started: the run waits for it. Files before it were told by then.
const SILENCE_MS = FILE_TIMEOUT_MS + 60_000

const chosen = process.argv.slice(2)
const silence = new AbortController()
const events = run({
  signal: silence.signal,
  globPatterns: chosen.length > 0 ? chosen : EVERYTHING,
  concurrency: 2,
  timeout: FILE_TIMEOUT_MS,
})

const watchdog = setTimeout(() => silence.abort(), SILENCE_MS)
for (const name of ['test:dequeue', 'test:complete'] as const) events.on(name, () => void watchdog.refresh())
events.on('end', () => clearTimeout(watchdog))

const runs: FileRun[] = []

events.on('test:summary', ({ file, counts, duration_ms, success }) => {
  if (file !== undefined) {
    runs.push({ file, tests: counts.tests, milliseconds: duration_ms })
    return
  }
  const { tests, passed, cancelled, skipped, todo } = counts
  const failed = tests - passed - cancelled - skipped - todo
  process.exitCode = success && tests > 0 && failed === 0 ? 0 : 1
  // Last, after the failures' details, and in the form of TAP: what a person or CI looks for is the end of the output.
  process.once('exit', () => {
    // CI has 75 minutes, cold: this says which suites take them.
    console.log(suiteMinutes(runs, process.cwd()).join('\n'))
    console.log(`# tests ${tests}\n# pass ${passed}\n# fail ${failed}\n# cancelled ${cancelled}`)
    console.log(`# skipped ${skipped}\n# todo ${todo}\n# duration_ms ${Math.round(duration_ms)}`)
  })
})
process.exitCode = 1 // until a summary says otherwise
events.compose(spec).pipe(process.stdout)
