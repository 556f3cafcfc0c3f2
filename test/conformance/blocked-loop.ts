import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type BusAddress, connectBusClient } from '../fake/bus-client.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { type Program, startProgram, waitForLine } from '../fake/program.ts'
import type { InstalledSdk } from './installed-sdk.ts'

const PROGRAM = `${import.meta.dirname}/installed/blocked_loop.py`
/** Kubernetes kills a program after this time. */
const KILLED_MS = 30_000
const AGAIN_MS = 100
const ENDED = { code: 0, signal: null }

type Sdk = () => { readonly installed: InstalledSdk; readonly path: string | undefined }

/** Registers the tests that a program with the Python SDK ends while its event loop doesn't run, or waits for ever. */
export function endsWithBlockedLoop(sdk: Sdk): void {
  const started = (blocked: string, { address, token }: BusAddress) => {
    const { installed, path } = sdk()
    const bus = { GATEWAY_HOST: address, NATS_TOKEN: token, PROCESSOR_SUBJECT: subjectOf(blocked) }
    return { ...installed, args: [PROGRAM], environment: { ...bus, PATH: path, BLOCKED: blocked } }
  }

  it('an answer that blocks the event loop does not hold up the end of the program, which names the line', async () => {
    await using nats = await startNatsServer()
    const end = async (blocked: string): Promise<void> => {
      await using program = await startProgram(started(blocked, nats))
      await block(blocked, nats)
      assert.deepEqual(await program.stop(KILLED_MS), ENDED, blocked)
      const log = program.lines.entries.join('\n')
      assert.match(log, /"at": "blocked_loop\.py:\d+", "msg": "processor ends with unfinished work"/, blocked)
    }
    await Promise.all(['sleeping', 'computing'].map(end))
  })

  it('a program ends although nobody reads its output', async () => {
    await using nats = await startNatsServer()
    const { command, args, environment } = started('printing', nats)
    const unread = spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'ignore'] })
    const exited = once(unread, 'exit')
    await block('printing', nats)
    unread.kill('SIGTERM')
    const timer = setTimeout(() => unread.kill('SIGKILL'), KILLED_MS)
    assert.deepEqual(await exited, [0, null])
    clearTimeout(timer)
  })

  it('a second signal ends a program with a blocked event loop at once', async () => {
    await using nats = await startNatsServer()
    await using program = await startProgram(started('sleeping', nats))
    await block('sleeping', nats)
    // Two signals of a kind are one where the second comes before the program took the first.
    const timer = setInterval(() => program.kill('SIGINT'), AGAIN_MS)
    assert.deepEqual(await endOf(program), { code: 1, signal: null })
    clearInterval(timer)
  })

  it('a program that is asked to end while `create` waits, or while the bus says nothing, ends with 0', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    const accepted = once(silent, 'connection')
    await once(silent, 'listening')
    const place = silent.address()
    const bus = { address: typeof place === 'object' ? `127.0.0.1:${place?.port}` : '', token: 'token' }
    await using creating = await startProgram(started('waiting', bus))
    await waitForLine(creating, /creating/)
    assert.deepEqual(await creating.stop(KILLED_MS), ENDED)
    await using connecting = await startProgram(started('sleeping', bus))
    const [connection] = await accepted
    assert.deepEqual(await connecting.stop(KILLED_MS), ENDED)
    connection.destroy()
    silent.close()
  })

  it('a `create` that fails ends the program with 1, although a thread of `create` goes on', async () => {
    await using program = await startProgram(started('failing', { address: '127.0.0.1:1', token: 'token' }))
    await waitForLine(program, /processor not created/)
    assert.deepEqual(await endOf(program), { code: 1, signal: null })
  })
}

async function endOf({ exited }: Program): Promise<unknown> {
  return await Promise.race([exited, wait(KILLED_MS, 'it goes on', { ref: false })])
}

function subjectOf(blocked: string): string {
  return `llm.gl.custom.${blocked}`
}

/** Sends a message, as soon as the program takes it, which gets no answer. */
async function block(blocked: string, bus: BusAddress): Promise<void> {
  await using client = await connectBusClient(bus)
  for (;;) {
    const code = await client.ask(subjectOf(blocked), Buffer.from('{}'), 1_000).then(
      () => assert.fail('an answer came'),
      (error) => error.code,
    )
    if (code === 'TIMEOUT') return
    // No program has the subject yet.
    await wait(AGAIN_MS)
  }
}
