import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connectBusClient } from '../fake/bus-client.ts'
import { Journal } from '../fake/journal.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { startProgram, waitForLine } from '../fake/program.ts'
import type { InstalledSdk } from './installed-sdk.ts'

const SUBJECT = 'llm.gl.limited'
/** More than 16 KiB: such messages wait in another queue. */
const PADDING = 'x'.repeat(20_000)

/** Registers the test that the flood of one router displaces no message of another one. */
export function sharesItsQueue(
  sdk: () => { readonly installed: InstalledSdk; readonly path: string | undefined },
): void {
  it('when its queue is full, the router with the most waiting messages loses its newest ones', async () => {
    const { installed, path } = sdk()
    await using nats = await startNatsServer()
    const environment = { PATH: path, GATEWAY_HOST: nats.address, NATS_TOKEN: nats.token }
    await using program = await startProgram({ ...installed, args: [installed.limited], environment })
    await waitForLine(program, /processor initialized/)
    await using client = await connectBusClient(nats)
    const answered = new Journal<string>()
    const send = (message: object): void => {
      const request = client.request(SUBJECT, Buffer.from(JSON.stringify(message)), 60_000)
      // A dropped message gets no answer: its request is rejected when the connection closes.
      void request.then((bytes) => answered.add(JSON.parse(Buffer.from(bytes).toString()).id)).catch(() => undefined)
    }
    send({ gl_path: '/flood/', id: 'first', hold: true })
    // Four messages may wait.
    for (const id of ['flood 1', 'flood 2', 'flood 3', 'flood 4', 'flood 5']) send({ gl_path: '/flood/', id })
    for (const id of ['calm 1', 'calm 2']) send({ gl_path: '/calm/', id })
    send({ gl_path: '/calm/', id: 'release', release: true, padding: PADDING })
    const all = await answered.waitForCount(6)
    const waiting = all.filter((id) => id !== 'first' && id !== 'release')
    // The routers take turns.
    assert.deepEqual(waiting, ['flood 1', 'calm 1', 'flood 2', 'calm 2'])
    await waitForLine(program, /"dropped": ?3\b.*processor no longer overloaded/)
  })
}
