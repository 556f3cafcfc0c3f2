import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'

// Rules: docs/reference/configuration-rules.md#log-lines

const LOG = JSON.stringify(join(import.meta.dirname, 'log.ts'))

const programOf = (script: string): string => `import { createLogger } from ${LOG}
  const logger = createLogger({ service: 'gl' })
  ${script}`

/** Runs a program with a logger, which `shell` starts as "$0" "$@"; resolves with its text on stderr. */
async function run(script: string, shell: string): Promise<string> {
  const args = ['-c', shell, process.execPath, '--input-type=module', '--eval', programOf(script)]
  const { stderr } = await promisify(execFile)('sh', args)
  return stderr
}

test('a program whose log finds no room goes on', async () => {
  const script = `for (let i = 0; i < 3; i += 1) logger.info({}, 'line')
    process.stderr.write('goes on')`
  assert.equal(await run(script, 'exec "$0" "$@" > /dev/full'), 'goes on')
})

test('once there is room again, the log has the number of dropped lines, and no line continues a cut one', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'log')
  const script = `import { truncateSync } from 'node:fs'
    for (let i = 0; i < 3; i += 1) logger.info({ padding: 'x'.repeat(2_000) }, 'dropped')
    truncateSync(${JSON.stringify(file)}, 100)
    logger.info({}, 'first with room')
    logger.info({}, 'last')`
  // The limit, a block of 512 bytes, cuts the first line.
  await run(script, `ulimit -f 1; exec "$0" "$@" >> '${file}'`)
  const [cut = '', ...lines] = (await readFile(file, 'utf8')).trimEnd().split('\n')
  assert.equal(cut.length, 100)
  const [first, dropped, last] = lines.map((line) => JSON.parse(line))
  assert.deepEqual([first.msg, last.msg, lines.length], ['first with room', 'last', 3])
  assert.deepEqual([dropped.level, dropped.msg, dropped.lines, dropped.code], ['WARN', 'log lines dropped', 3, 'EFBIG'])
})

/** Starts a program with a logger whose stdout nobody reads yet, and waits for its first bytes on stderr. */
async function startUnread(script: string) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', programOf(script)])
  await once(child.stderr, 'data')
  return child
}

test('a program whose reader has left goes on and writes no more', async () => {
  using program = await startUnread(`
    process.stderr.write('started')
    for await (const _ of process.stdin);
    for (let i = 0; i < 3; i += 1) logger.info({}, 'line')
    process.exit(3)`)
  program.stdout.destroy()
  await once(program.stdout, 'close')
  program.stdin.end()
  assert.deepEqual(await once(program, 'exit'), [3, null])
})

test('a line waits for the reader of a full pipe, also where writes to the pipe return at once', async () => {
  using program = await startUnread(`import { writeSync } from 'node:fs'
    process.stdout._handle.setBlocking(false)
    try { for (;;) writeSync(1, '{}\\n') } catch {}
    process.stderr.write('full')
    logger.info({}, 'line')`)
  const lines = (await text(program.stdout)).trimEnd().split('\n')
  assert.equal(JSON.parse(lines.at(-1) ?? '').msg, 'line')
})
