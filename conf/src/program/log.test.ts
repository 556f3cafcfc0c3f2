import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createLogger, type LogLevel } from './log.ts'

// Rules: docs/reference/configuration-rules.md#log-lines, docs/reference/gl-config.md

function journal(level?: LogLevel) {
  const lines: string[] = []
  const logger = createLogger({
    service: 'gl',
    ...(level === undefined ? {} : { level }),
    write: (line) => lines.push(line),
  })
  return { lines, logger, messages: () => lines.map((line): unknown => JSON.parse(line).msg) }
}

test('a line is JSON with time, level, msg and service', () => {
  const { lines, logger } = journal()
  logger.warn({ rejected_fields: { a: 'required:' } }, 'configuration has rejected fields')
  assert.equal(lines.length, 1)
  const { time, ...rest } = JSON.parse(lines[0] ?? '')
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(rest, {
    level: 'WARN',
    service: 'gl',
    rejected_fields: { a: 'required:' },
    msg: 'configuration has rejected fields',
  })
})

const levels: readonly (readonly [LogLevel, readonly string[]])[] = [
  ['DEBUG', ['d', 'i', 'w', 'e']],
  ['INFO', ['i', 'w', 'e']],
  ['WARN', ['w', 'e']],
  ['ERROR', ['e']],
]
for (const [level, expected] of levels) {
  test(`log_level ${level} shows ${expected.length} levels, at the start or after a change`, () => {
    for (const { logger, messages } of [journal(level), journal()]) {
      logger.level = level
      logger.debug({}, 'd')
      logger.info({}, 'i')
      logger.warn({}, 'w')
      logger.error({}, 'e')
      assert.deepEqual(messages(), expected)
      assert.equal(logger.level, level)
    }
  })
}

test('a program that exits at once has written all its log lines', async () => {
  const log = JSON.stringify(join(import.meta.dirname, 'log.ts'))
  const program = `import { createLogger } from ${log}
    const logger = createLogger({ service: 'gl' })
    for (let i = 0; i < 5000; i += 1) logger.info({ i, padding: 'x'.repeat(100) }, 'line')
    process.exit(0)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    maxBuffer: 2 ** 24,
  })
  assert.equal(stdout.trimEnd().split('\n').length, 5000)
})
