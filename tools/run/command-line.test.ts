import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommandLine } from './command-line.ts'

function programs() {
  const done: string[] = []
  const step = (name: string, code: number) => async () => {
    done.push(name)
    return code
  }
  const line = (stream: string) => (text: string) => void done.push(`${stream}: ${text.split('\n')[0]}`)
  return { done, run: step('run', 7), stop: step('stop', 8), say: line('say'), complain: line('complain') }
}

const PROGRAMS: readonly (readonly [argv: readonly string[], name: string, code: number])[] = [
  [[], 'run', 7],
  [['stop'], 'stop', 8],
]

test('without an argument the programs start, and stop ends them; the exit code is theirs', async () => {
  for (const [argv, name, code] of PROGRAMS) {
    const known = programs()
    assert.equal(await runCommandLine(argv, known), code)
    assert.deepEqual(known.done, [name])
  }
})

test('a question for help prints the usage and starts nothing', async () => {
  for (const argv of [['--help'], ['-h'], ['help'], ['stop', '--help']]) {
    const known = programs()
    assert.equal(await runCommandLine(argv, known), 0, argv.join(' '))
    assert.deepEqual(known.done, ['say: node tools/run/main.ts [stop]'], argv.join(' '))
  }
})

const WRONG: readonly (readonly [argv: readonly string[], unknown: string])[] = [
  [['start'], 'start'],
  [['STOP'], 'STOP'],
  [[''], ''],
  [['--stop'], '--stop'],
  [['stop', 'now'], 'now'],
  [['stop', 'stop'], 'stop'],
  [['--port', '8080'], '--port'],
]

test('an unknown argument is named with exit code 2, and nothing starts or ends', async () => {
  for (const [argv, unknown] of WRONG) {
    const known = programs()
    assert.equal(await runCommandLine(argv, known), 2, argv.join(' '))
    assert.deepEqual(known.done, [`complain: run: the argument ${JSON.stringify(unknown)} is unknown`])
  }
})
