import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type BusClient, connectBusClient } from '../fake/bus-client.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { startProcessorProgram, whyAbsent } from '../fake/processor-program.ts'
import type { Program } from '../fake/program.ts'
import { behavioursOf, encode } from './behaviours.ts'
import { CONTRACTS, type Contract, type Fields } from './processors.ts'

const ANSWER_MS = 60_000
const AT_ONCE = 100

for (const contract of CONTRACTS) {
  const absent = whyAbsent(contract.name, process.env)
  describe(`wire 2: the protocol as ${contract.name} keeps it`, { skip: absent ?? false }, () => {
    const running = new AsyncDisposableStack()
    let client: BusClient
    let program: Program
    const subject = `llm.gl.${contract.name}`
    const ask = (bytes: Uint8Array | string): Promise<Uint8Array> =>
      client.request(subject, Buffer.from(bytes), ANSWER_MS)

    before(async () => {
      const nats = running.use(await startNatsServer({ jetstream: true }))
      client = running.use(await connectBusClient(nats))
      program = running.use(await startProcessorProgram(contract.name, nats))
    })
    after(() => running.disposeAsync())

    it('answers a message that it has something to say about', async () => {
      assertRight(contract, await ask(encode(contract.message)))
    })

    for (const { name, bytes, expects, longer } of behavioursOf(contract)) {
      it(`${expects === 'none' ? 'gives no answer to' : 'takes'} ${name}`, async () => {
        const message = bytes(contract)
        if (expects === 'right') assertRight(contract, await ask(message), longer)
        else if (expects === 'nothing') assert.deepEqual(assertFits(contract, await ask(message)), {})
        else if (expects === 'reply') assertFits(contract, await ask(message))
        else if (expects === 'none') {
          const reply = await replyOr('"message is not an object"', message)
          assert.deepEqual(assertFits(contract, reply ?? new Uint8Array()), {})
        } else assertFits(contract, (await replyOr('"processor gave no answer"', message)) ?? new Uint8Array())
        // Whatever came before, the next one is answered.
        assertRight(contract, await ask(encode(contract.message)))
      })
    }

    /** No reply has to be waited for: the program logs a line when it gives none. */
    async function replyOr(line: string, message: Uint8Array | string): Promise<Uint8Array | undefined> {
      const lines = (): number => program.lines.entries.filter((entry) => entry.includes(line)).length
      const before = lines()
      let reply: Uint8Array | undefined
      const replied = (bytes: Uint8Array): void => {
        reply = bytes
        program.lines.changed()
      }
      // The connection is closed while the request still waits.
      void ask(message).then(replied, () => undefined)
      const what = 'a reply or a logged refusal'
      await program.lines.waitUntil(() => reply !== undefined || lines() > before, { timeoutMs: ANSWER_MS, what })
      return reply
    }

    it(`answers ${AT_ONCE} at once, each of them`, async () => {
      const asked = Array.from({ length: AT_ONCE }, () => ask(encode(contract.message)))
      for (const reply of await Promise.all(asked)) assertRight(contract, reply)
    })

    it('answers what it has taken when it is asked to end, then ends with 0', async () => {
      const asked = Array.from({ length: AT_ONCE }, () => ask(encode(contract.message)))
      await client.flush()
      await Promise.race(asked)
      program.kill('SIGTERM')
      for (const reply of await Promise.all(asked)) assertRight(contract, reply)
      assert.deepEqual(await program.exited, { code: 0, signal: null })
    })
  })
}

/** A reply that a gateway could take: nothing, or an object of the fields that the processor's rows let it write. */
function assertFits({ writes }: Contract, reply: Uint8Array): Fields {
  const text = Buffer.from(reply).toString()
  if (text.trim() === '') return {}
  const fields: unknown = JSON.parse(text)
  assert.ok(typeof fields === 'object' && fields !== null && !Array.isArray(fields), text)
  assert.deepEqual(
    Object.keys(fields).filter((name) => !writes.includes(name)),
    [],
  )
  return Object.fromEntries(Object.entries(fields))
}

function assertRight(contract: Contract, reply: Uint8Array, longer = 0): void {
  const fields = assertFits(contract, reply)
  assert.ok(contract.holds(fields, longer), JSON.stringify(fields).slice(0, 500))
}
