import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connectBusClient } from '../fake/bus-client.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { startProgram, waitForLine } from '../fake/program.ts'
import { headOf, publishHead } from '../fake/publish-head.ts'
import type { InstalledSdk } from './installed-sdk.ts'

const SUBJECT = 'llm.gl.wordcount'
const ANSWER_MS = 20_000
const PLAIN = headOf('Other: 1')
const REPLY = Buffer.from('any.reply')
const NO_UTF8 = Buffer.from([0xff])
/** nats-server takes lines of up to 4,096 bytes. In UTF-8 the character that stands for a wrong byte has three bytes. */
const LONG_REPLY = Buffer.alloc(3_000, 0xff)

const MESSAGES: readonly (readonly [what: string, head: Uint8Array, reply: Uint8Array])[] = [
  ['a reply subject that is not UTF-8', PLAIN, NO_UTF8],
  ['a long reply subject that is not UTF-8', PLAIN, LONG_REPLY],
  ['a vertical tab in its reply subject', PLAIN, Buffer.from('a\vb')],
  ['a form feed in its reply subject', PLAIN, Buffer.from('a\fb')],
  ['headers of one byte', Buffer.from('N'), REPLY],
  ['headers that end behind the version', Buffer.from('NATS/1.0'), REPLY],
  ['a status that is not UTF-8', Buffer.concat([Buffer.from('NATS/1.0 '), Buffer.alloc(40, 0xff)]), REPLY],
  ['a description that is not UTF-8', Buffer.concat([Buffer.from('NATS/1.0 100 '), LONG_REPLY]), REPLY],
  ['a header that is not UTF-8', Buffer.concat([headOf('Gateway-Router: '), LONG_REPLY]), REPLY],
]

/** Registers the tests that no subject or header of another client of the bus ends the connection of a processor. */
export function survivesHostileHeads(
  sdk: () => { readonly installed: InstalledSdk; readonly path: string | undefined },
): void {
  for (const [what, head, reply] of MESSAGES) {
    it(`a message with ${what} affects no other message`, async () => {
      const { installed, path } = sdk()
      await using nats = await startNatsServer()
      const environment = { PATH: path, GATEWAY_HOST: nats.address, NATS_TOKEN: nats.token }
      await using program = await startProgram({ ...installed, environment })
      await waitForLine(program, /processor initialized/)
      await using client = await connectBusClient(nats)
      await publishHead(nats, SUBJECT, { head, reply, payload: Buffer.from('{}') })
      const message = Buffer.from('{"ingress_payload":"two words"}')
      for (let count = 0; count < 2; count += 1) await client.request(SUBJECT, message, ANSWER_MS)
      assert.doesNotMatch(program.lines.entries.join('\n'), /bus disconnected|bus not reachable/)
    })
  }
}
