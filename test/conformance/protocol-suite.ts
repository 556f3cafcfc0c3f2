import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { type BusAddress, type BusClient, connectBusClient } from '../fake/bus-client.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import type { Program } from '../fake/program.ts'
import { behavioursOf, encodeMessage } from './behaviours.ts'
import type { Contract, Fields } from './processors.ts'

const ANSWER_MS = 60_000
const AT_ONCE = 100
/** Characters of an answer in a golden. */
const MOST_SHOWN = 400
const NO_ANSWER = 'no answer'
/** Log lines for messages without an answer. */
const REFUSAL = /"(?:message is not an object|processor gave no answer)"/

/**
 * Defines the tests of one processor in a `describe`. `start` starts its program, subscribed when the promise resolves.
 */
export function testProtocol(contract: Contract, start: (bus: BusAddress) => Promise<Program>): void {
  const running = new AsyncDisposableStack()
  let client: BusClient
  let program: Program
  const subject = `llm.gl.${contract.name}`
  const ask = (bytes: Uint8Array | string): Promise<Uint8Array> =>
    client.request(subject, Buffer.from(bytes), ANSWER_MS)

  before(async () => {
    const nats = running.use(await startNatsServer({ jetstream: true }))
    client = running.use(await connectBusClient(nats))
    program = running.use(await start(nats))
  })
  after(() => running.disposeAsync())

  it('the processor answers a message with fields of its own', async () => {
    assertRight(contract, await ask(encodeMessage(contract.message)))
  })

  const answers = new Map<string, unknown>()
  for (const { name, bytes, expects, longer } of behavioursOf(contract)) {
    it(`the processor ${expects === 'none' ? 'gives no answer to' : 'answers'} a message with ${name}`, async () => {
      const message = bytes(contract)
      if (expects === 'right') assertRight(contract, await ask(message), longer)
      else if (expects === 'nothing') assert.deepEqual(fieldsOf(contract, await ask(message)), {})
      else {
        const reply = await replyOrRefusal(message)
        if (expects === 'none') assert.equal(reply, undefined)
        else answers.set(name, reply === undefined ? NO_ANSWER : fieldsOf(contract, reply))
      }
      // Whatever the message was, the next message is answered.
      assertRight(contract, await ask(encodeMessage(contract.message)))
    })
  }

  it('the processor answers the same message twice alike', async () => {
    const message = encodeMessage(contract.message)
    for (const reply of await Promise.all([ask(message), ask(message)])) assertRight(contract, reply)
  })

  it(`the processor ${contract.takesLate ? 'answers' : 'gives no answer to'} a message after its deadline`, async () => {
    const message = Buffer.from(encodeMessage(contract.message))
    if (contract.takesLate) assertRight(contract, await client.expired(subject, message, ANSWER_MS))
    else {
      const late = client.expired(subject, message, ANSWER_MS)
      // The rejected request is expected: the connection closes while it waits.
      void late.catch(() => undefined)
      const next = await Promise.race([late.then(() => 'late'), ask(message)])
      assert.notEqual(next, 'late')
    }
    assertRight(contract, await ask(encodeMessage(contract.message)))
  })

  it('the processor’s answers equal its golden file', (context) => {
    assert.ok(answers.size > 0)
    const file = join(import.meta.dirname, 'golden', `${contract.name}.json`)
    context.assert.fileSnapshot(answers, file, { serializers: [linePerAnswer] })
  })

  /** Waits for a reply or for the log line that stands for no reply. */
  async function replyOrRefusal(message: Uint8Array | string): Promise<Uint8Array | undefined> {
    const lines = (): number => program.lines.entries.filter((entry) => REFUSAL.test(entry)).length
    const before = lines()
    let reply: Uint8Array | undefined
    const replied = (bytes: Uint8Array): void => {
      reply = bytes
      program.lines.changed()
    }
    // The rejected request is expected: the connection closes while it waits.
    void ask(message).then(replied, () => undefined)
    const what = 'a reply or a logged refusal'
    await program.lines.waitUntil(() => reply !== undefined || lines() > before, { timeoutMs: ANSWER_MS, what })
    return reply
  }

  it(`the processor answers each of ${AT_ONCE} concurrent messages`, async () => {
    const asked = Array.from({ length: AT_ONCE }, () => ask(encodeMessage(contract.message)))
    for (const reply of await Promise.all(asked)) assertRight(contract, reply)
  })

  it('on SIGTERM the processor answers the messages that it has received, then exits with 0', async () => {
    const asked = Array.from({ length: AT_ONCE }, () => ask(encodeMessage(contract.message)))
    await client.flush()
    await Promise.race(asked)
    program.kill('SIGTERM')
    for (const reply of await Promise.all(asked)) assertRight(contract, reply)
    assert.deepEqual(await program.exited, { code: 0, signal: null })
  })
}

/** Returns the fields of a reply, all of which the processor's rows must let it write. */
function fieldsOf({ writes, shown }: Contract, reply: Uint8Array): Fields {
  const text = Buffer.from(reply).toString()
  const fields: unknown = JSON.parse(text)
  assert.ok(typeof fields === 'object' && fields !== null && !Array.isArray(fields), text)
  assert.deepEqual(
    Object.keys(fields).filter((name) => !writes.includes(name)),
    [],
  )
  return shown === undefined
    ? Object.fromEntries(Object.entries(fields))
    : shown(Object.fromEntries(Object.entries(fields)))
}

function assertRight(contract: Contract, reply: Uint8Array, longer = 0): void {
  const fields = fieldsOf(contract, reply)
  assert.ok(isDeepStrictEqual(fields, contract.answer(longer)), JSON.stringify(fields).slice(0, 500))
}

/** Writes one line for each answer, so that a golden's diff shows the changed rows. */
function linePerAnswer(answers: unknown): string {
  if (!(answers instanceof Map)) return ''
  const lines = [...answers].map(([name, answer]) => `  ${JSON.stringify(name)}: ${shortened(JSON.stringify(answer))}`)
  return `{\n${lines.join(',\n')}\n}`
}

function shortened(json: string): string {
  if (json.length <= MOST_SHOWN) return json
  const hash = createHash('sha256').update(json).digest('hex').slice(0, 16)
  return JSON.stringify(`${json.slice(0, MOST_SHOWN / 4)}… ${json.length} characters, sha256 ${hash}`)
}
