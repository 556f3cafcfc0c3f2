import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { isAlive, until } from './fixture/supervised.ts'

/** A process that starts programs under a guard, adds and removes another program, and waits to be killed. */
const SUPERVISOR = `
import { spawn } from 'node:child_process'
import { startOrphanGuard } from ${JSON.stringify(join(import.meta.dirname, 'orphan-guard.ts'))}
const say = (fields) => console.log(JSON.stringify(fields))
const guard = startOrphanGuard({ logger: { info: say, warn: say }, graceSeconds: 1 })
const start = (script) => spawn('/bin/sh', ['-c', script], { detached: true, stdio: 'ignore' }).pid
const pids = ['sleep 600 & wait', "trap '' TERM; while :; do sleep 600; done"].map(start)
const free = start('sleep 600')
for (const pid of [...pids, free]) guard.add(pid)
guard.remove(free)
say({ pids, free })
setInterval(() => undefined, 1_000)
`

test('when the supervisor is killed, the guard ends its services, even if they ignore SIGTERM, but not removed services', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SUPERVISOR], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const printed: { pids?: readonly number[]; free?: number } = {}
  createInterface({ input: child.stdout }).on('line', (line) => Object.assign(printed, JSON.parse(line)))
  await until('the services', () => printed.free !== undefined)
  const { pids = [], free = 0 } = printed
  assert.deepEqual([...pids, free].map(isAlive), [true, true, true])
  child.kill('SIGKILL')
  // The output of the process ends with the guard, after the services got their signals.
  await once(child, 'close')
  await until('the end of the services', () => !pids.some(isAlive))
  assert.ok(isAlive(free))
  process.kill(-free, 'SIGKILL')
})
