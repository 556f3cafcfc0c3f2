import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connectBusClient } from '../fake/bus-client.ts'
import { Journal } from '../fake/journal.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { startProgram, waitForLine } from '../fake/program.ts'
import type { InstalledSdk } from './installed-sdk.ts'

const SUBJECT = 'llm.gl.limited'
const ANSWER_MS = 60_000
/** More than 16 KiB: such messages wait in another queue. */
const PADDING = 'x'.repeat(20_000)

type Sdk = () => { readonly installed: InstalledSdk; readonly path: string | undefined }

/** Registers the tests that the flood of one router displaces and holds up no message of another one. */
export function sharesItsQueue(sdk: Sdk): void {
  it('when its queue is full, the router with the most waiting messages loses its newest ones', async () => {
    await using scene = await startLimited(sdk, 1)
    const { send, answered } = scene
    send({ gl_path: '/flood/', id: 'first', hold: true })
    // Four messages may wait.
    for (const id of ['flood 1', 'flood 2', 'flood 3', 'flood 4', 'flood 5']) send({ gl_path: '/flood/', id })
    for (const id of ['calm 1', 'calm 2']) send({ gl_path: '/calm/', id })
    send({ gl_path: '/calm/', id: 'release', release: true, padding: PADDING })
    const all = await answered.waitForCount(6)
    const waiting = all.filter((id) => id !== 'first' && id !== 'release')
    // The routers take turns.
    assert.deepEqual(waiting, ['flood 1', 'calm 1', 'flood 2', 'calm 2'])
    await waitForLine(scene.program, /"dropped": ?3\b.*processor no longer overloaded/)
  })

  it('a router that only the header names leaves a place free, which the message of another router takes', async () => {
    await using scene = await startLimited(sdk, 2)
    const { sendFor, answered } = scene
    sendFor('/flood/', { id: 'first', hold: true })
    sendFor('/flood/', { id: 'second' })
    sendFor('/calm/', { id: 'calm' })
    await answered.waitForCount(1)
    sendFor('/calm/', { id: 'release', release: true, padding: PADDING })
    const [calm, ...others] = await answered.waitForCount(4)
    assert.deepEqual([calm, others.toSorted()], ['calm', ['first', 'release', 'second']])
  })

  it('a router leaves a place free, which the message of another router takes', async () => {
    await using scene = await startLimited(sdk, 2)
    const { send, answered } = scene
    send({ gl_path: '/flood/', id: 'first', hold: true })
    send({ gl_path: '/flood/', id: 'second' })
    send({ gl_path: '/calm/', id: 'calm' })
    await answered.waitForCount(1)
    send({ gl_path: '/calm/', id: 'release', release: true, padding: PADDING })
    const [calm, ...others] = await answered.waitForCount(4)
    assert.deepEqual([calm, others.toSorted()], ['calm', ['first', 'release', 'second']])
  })
}

const bytesOf = (message: object): Uint8Array => Buffer.from(JSON.stringify(message))

async function startLimited(sdk: Sdk, concurrency: number) {
  const { installed, path } = sdk()
  const stack = new AsyncDisposableStack()
  const nats = stack.use(await startNatsServer())
  const environment = {
    PATH: path,
    GATEWAY_HOST: nats.address,
    NATS_TOKEN: nats.token,
    CONCURRENCY: String(concurrency),
  }
  const program = stack.use(await startProgram({ ...installed, args: [installed.limited], environment }))
  await waitForLine(program, /processor initialized/)
  const client = stack.use(await connectBusClient(nats))
  const answered = new Journal<string>()
  const take = (reply: Promise<Uint8Array>): void => {
    // A dropped message gets no answer: its request is rejected when the connection closes.
    void reply.then((bytes) => answered.add(JSON.parse(Buffer.from(bytes).toString()).id)).catch(() => undefined)
  }
  const send = (message: object): void => take(client.request(SUBJECT, bytesOf(message), ANSWER_MS))
  const sendFor = (router: string, message: object): void =>
    take(client.askFor(router, SUBJECT, bytesOf(message), ANSWER_MS))
  return { program, send, sendFor, answered, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}
