import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGlConfig } from '@llm-gateway/conf'
import { Journal } from '@llm-gateway/test/fake/journal'
import { WorkQueue } from '../work/work-queue.ts'
import { logApplied } from './log-applied.ts'
import { type Line, loggerInto } from './reload-under-test.ts'

// Rules: docs/reference/configuration-rules.md#rejection

const PIPE_BYTES = 64 * 1024
const MANY = Array.from({ length: 1_000 }, (_, index) => index)

/** Logs a file that replaces no other. */
async function linesOf(file: object): Promise<readonly Line[]> {
  const checked = checkGlConfig(Buffer.from(JSON.stringify(file)), { environment: {} })
  assert.ok(checked.kind === 'checked', JSON.stringify(checked))
  const lines = new Journal<Line>()
  const log = { logger: loggerInto(lines), slice: new WorkQueue().begin('reload') }
  const routers = { active: 0, rejected: 0, disabled: 0, internal: 0 }
  await logApplied(log, checked.config, {
    previous: { digest: '', activeEntries: new Map() },
    next: { digest: checked.digest, valuesRevision: undefined, routers },
    restartFields: [],
  })
  return lines.entries
}

function headersOf(characters: number, value: string): object {
  return Object.fromEntries(MANY.slice(500).map((index) => [`${index}`.padEnd(characters, '-'), [value]]))
}

const url = 'http://127.0.0.1/'
const entry = { name: 'x'.repeat(128), service_bus_topic: 'a', timeout: 1, async: true, required: true }

const files: readonly (readonly [what: string, msg: string, file: object])[] = [
  [
    'unknown keys of characters that JSON escapes',
    'configuration has unknown keys',
    Object.fromEntries(MANY.map((index) => [`${'\u0001'.repeat(1_000)}${index}`, 1])),
  ],
  [
    'rejected headers with long names',
    'configuration has rejected fields',
    {
      routers: MANY.map((index) => ({
        path: `/${index}/`,
        outbound: { url, headers: { ['\u0001'.repeat(7_000)]: ['x'] } },
      })),
    },
  ],
  [
    'many headers',
    'adding router',
    { routers: [{ path: '/a/', ingress: { headers: headersOf(129, 'x') }, outbound: { url } }] },
  ],
  [
    'required async processors with long names',
    'required has no effect on async processors',
    { request: { processors: MANY.map(() => [entry]) } },
  ],
]

for (const [what, msg, file] of files) {
  test(`each line about ${what} fits into a pipe`, async () => {
    const lines = await linesOf({ routers: [], ...file })
    assert.ok(lines.some((line) => line.msg === msg))
    for (const line of lines) {
      const bytes = Buffer.byteLength(JSON.stringify(line))
      assert.ok(bytes < PIPE_BYTES, `${bytes} bytes of ${line.msg}`)
    }
  })
}
