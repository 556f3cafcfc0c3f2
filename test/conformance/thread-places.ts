import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { connectBusClient } from '../fake/bus-client.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { startProgram, waitForLine } from '../fake/program.ts'
import type { InstalledSdk } from './installed-sdk.ts'

const FOLDER = `${import.meta.dirname}/installed`
const PROGRAM = `${FOLDER}/plain_answers.py`
const SUBJECT = 'llm.gl.plain'
const MIB = 1024 * 1024
/** Messages of this length have one place where the concurrency is 4. */
const HUGE = 'x'.repeat(8 * MIB)
const AGAIN_MS = 100
const PATIENT_MS = 30_000
/** The time for 8 MiB to reach their function on a busy machine. */
const HELD_MS = 10_000

type Sdk = () => { readonly installed: InstalledSdk; readonly path: string | undefined }

/** Registers the tests that slow answers take neither the threads of other routers nor memory without a bound. */
export function boundsItsThreads(sdk: Sdk): void {
  it('the slow answers of a router leave a thread to the message of another router', async () => {
    await using scene = await startPlain(sdk, 64)
    const { program, send } = scene
    for (let count = 0; count < 40; count += 1) void send({ gl_path: '/flood/', hold: true })
    const held = () => program.lines.entries.filter((line) => line.includes('"held"')).length
    // A router that is alone has half of the places.
    await program.lines.waitUntil(() => held() === 32)
    assert.equal((await send({ gl_path: '/calm/', id: 'calm' }))?.id, 'calm')
    await send({ gl_path: '/calm/', release: true })
  })

  it('while seven routers have taken all places, the first message of an eighth is answered', async () => {
    await using scene = await startPlain(sdk)
    const { program, send } = scene
    const held = () => program.lines.entries.filter((line) => line.includes('"held"')).length
    for (const [router, places] of [32, 48, 56, 60, 62, 63, 64].entries()) {
      for (let count = 0; count < 40; count += 1) void send({ gl_path: `/${router}/`, hold: true })
      await program.lines.waitUntil(() => held() === places)
    }
    assert.equal((await send({ gl_path: '/8/', id: 'eighth' }))?.id, 'eighth')
    await send({ gl_path: '/8/', release: true })
  })

  it('a few answers of a router compute at a time, while more answers of another router wait for something', async () => {
    await using scene = await startPlain(sdk, 64)
    const { program, send } = scene
    const begun = (name: string) => program.lines.entries.filter((line) => line.includes(`"${name}"`)).length
    const flood = Array.from({ length: 20 }, () => send({ gl_path: '/flood/', spin: true }))
    await program.lines.waitUntil(() => begun('spins') >= 4)
    assert.equal((await send({ gl_path: '/calm/', id: 'calm' }))?.id, 'calm')
    const waiting = Array.from({ length: 20 }, () => send({ gl_path: '/waiting/', hold: true }))
    await program.lines.waitUntil(() => begun('held') >= 12, {
      timeoutMs: PATIENT_MS,
      what: 'twelve answers that wait',
    })
    // On a busy machine a thread may get no time between two looks at its clock, and counts as one that waits.
    assert.ok(begun('spins') <= 8, `${begun('spins')} answers compute`)
    await send({ gl_path: '/calm/', release: true })
    await Promise.all([...flood, ...waiting])
  })

  it('while messages wait, the SDK looks every millisecond for threads that wait for something', async () => {
    const found = await printed(sdk, 'quick_looks.py')
    assert.equal(found.begun, 32)
    assert.ok(found.longest_ms < 5, `${found.longest_ms} ms between two looks`)
  })
}

/** Registers the test that an answer keeps its place after its deadline. */
export function keepsLatePlaces(sdk: Sdk): void {
  it('an answer after its deadline keeps its place until it ends, and messages behind it are freed', async () => {
    await using scene = await startPlain(sdk, 4)
    const { client, program, send } = scene
    const stuck = Buffer.from(JSON.stringify({ gl_path: '/flood/', hold: true, text: HUGE }))
    const late = (timeoutMs: number) => assert.rejects(client.ask(SUBJECT, stuck, timeoutMs), { code: 'TIMEOUT' })
    await Promise.all([late(HELD_MS), waitForLine(program, /"held"/)])
    for (let count = 0; count < 6; count += 1) await late(AGAIN_MS)
    // The text of the answer that goes on has 8 MiB, and so had the bytes of its message.
    const end = performance.now() + PATIENT_MS
    for (let bytes = Number.POSITIVE_INFINITY; bytes > 12 * MIB; await wait(AGAIN_MS)) {
      assert.ok(performance.now() < end, `${bytes} bytes are kept`)
      bytes = (await send({ gl_path: '/calm/' }))?.bytes ?? assert.fail('no answer')
    }
    assert.equal(program.lines.entries.filter((line) => line.includes('"held"')).length, 1)
    await send({ gl_path: '/calm/', release: true })
    assert.equal((await send({ gl_path: '/flood/', id: 'next', text: HUGE }))?.id, 'next')
  })
}

async function printed(sdk: Sdk, program: string) {
  const { stdout } = await promisify(execFile)(sdk().installed.command, [`${FOLDER}/${program}`])
  return JSON.parse(stdout)
}

async function startPlain(sdk: Sdk, concurrency?: number) {
  const { installed, path } = sdk()
  const stack = new AsyncDisposableStack()
  const nats = stack.use(await startNatsServer())
  const bus = { GATEWAY_HOST: nats.address, NATS_TOKEN: nats.token }
  const environment = { ...bus, PATH: path, CONCURRENCY: concurrency === undefined ? '' : String(concurrency) }
  const program = stack.use(await startProgram({ ...installed, args: [PROGRAM], environment }))
  await waitForLine(program, /processor initialized/)
  const client = stack.use(await connectBusClient(nats))
  /** Returns the answer; undefined when none comes. */
  const send = async (message: object): Promise<{ readonly id: string; readonly bytes: number } | undefined> => {
    const answer = client.request(SUBJECT, Buffer.from(JSON.stringify(message)), PATIENT_MS)
    return await answer.then(
      (bytes) => JSON.parse(Buffer.from(bytes).toString()),
      () => undefined,
    )
  }
  return { client, program, send, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
