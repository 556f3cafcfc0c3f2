import { globSync } from 'node:fs'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { EVERY_TEST } from './every-test.ts'
import { type Failure, failureLines } from './failures.ts'
import { inRunOrder } from './run-order.ts'
import { type FileRun, suiteMinutes } from './suite-minutes.ts'

// A hanging file must fail its run instead of blocking it.
const FILE_TIMEOUT_MS = 900_000

// A file that timed out keeps the run waiting while child processes of it run. So the run ends when no test has begun
// or ended for longer than a file may take.
const SILENCE_MS = FILE_TIMEOUT_MS + 60_000

const chosen = process.argv.slice(2)
const files = inRunOrder(globSync(chosen.length > 0 ? chosen : EVERY_TEST))
/** A Kubernetes node with its pods beside other tests leaves too little CPU for calls that must not fail. */
const RUN_ALONE = join('test', 'e2e')
const stages = [
  { files: files.filter((file) => !file.startsWith(RUN_ALONE)), concurrency: 2 },
  { files: files.filter((file) => file.startsWith(RUN_ALONE)), concurrency: 1 },
]

const runs: FileRun[] = []
const failures: Failure[] = []
const sums = { tests: 0, passed: 0, cancelled: 0, skipped: 0, todo: 0, duration_ms: 0 }
let isSuccess = true

process.exitCode = 1 // until every stage has a summary that says otherwise
for (const stage of stages) if (stage.files.length > 0) await runStage(stage)
const { tests, passed, cancelled, skipped, todo, duration_ms } = sums
const failed = tests - passed - cancelled - skipped - todo
process.exitCode = isSuccess && tests > 0 && failed === 0 ? 0 : 1
// Printed last, after the failures' details, in the form of TAP, since people and CI look at the end of the output.
// The minutes of the suites show where CI's 75 minutes (cold) go.
console.log([...suiteMinutes(runs, process.cwd()), ...failureLines(failures, process.cwd())].join('\n'))
console.log(`# tests ${tests}\n# pass ${passed}\n# fail ${failed}\n# cancelled ${cancelled}`)
console.log(`# skipped ${skipped}\n# todo ${todo}\n# duration_ms ${Math.round(duration_ms)}`)

/** Runs the files of a stage and adds their results to the sums. */
async function runStage({ files, concurrency }: (typeof stages)[number]): Promise<void> {
  const silence = new AbortController()
  const events = run({ signal: silence.signal, files, concurrency, timeout: FILE_TIMEOUT_MS })
  const watchdog = setTimeout(() => silence.abort(), SILENCE_MS)
  for (const name of ['test:dequeue', 'test:complete'] as const) events.on(name, () => void watchdog.refresh())
  events.on('test:fail', ({ name, file, details }) => void failures.push({ name, file, error: details.error }))
  let hasSummary = false
  events.on('test:summary', ({ file, counts, duration_ms, success }) => {
    if (file !== undefined) {
      runs.push({ file, tests: counts.tests, milliseconds: duration_ms })
      return
    }
    hasSummary = true
    for (const name of ['tests', 'passed', 'cancelled', 'skipped', 'todo'] as const) sums[name] += counts[name]
    sums.duration_ms += duration_ms
    isSuccess &&= success
  })
  for await (const text of events.compose(spec)) process.stdout.write(text)
  clearTimeout(watchdog)
  isSuccess &&= hasSummary
}
