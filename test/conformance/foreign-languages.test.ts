import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectBusClient } from '../fake/bus-client.ts'
import { freePort } from '../fake/free-port.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { startProgram, waitForLine } from '../fake/program.ts'
import { startScene } from '../fake/scene.ts'
import { FOREIGN_EXAMPLES } from './foreign-example.ts'

// Rules: docs/reference/bus.md

const EXAMPLES = join(import.meta.dirname, '../../examples')
const MOST_LINES = 85
/** The subject that the operator gives a Custom processor. */
const SUBJECT = 'llm.gl.custom.words'
// The row of the examples' READMEs, made required with a long timeout.
const ROW = { name: 'word_count', service_bus_topic: SUBJECT, timeout: 20_000, required: true }
const ENTRY = { ...ROW, input_fields_include: ['ingress_payload'], output_fields_write: ['word_count'] }
/** A message of the bus and its number of words in every example; undefined adds no field. */
const ANSWERS: readonly (readonly [string, number | undefined])[] = [
  ['{"ingress_payload":{"messages":[{"role":"user","content":"How many words\\nare  these?"}]}}', 5],
  ['{"ingress_payload":{"messages":[{"content":"one two"},{"content":""},{"content":"  three "}]}}', 3],
  ['{"ingress_payload":{"messages":[{"content":"d\u00e9j\u00e0 vu \ud83d\ude00"}]},"later_version":[1]}', 3],
  ['{"ingress_payload":{"messages":[]}}', 0],
  ['{"ingress_payload":{"messages":[{"content":null}]}}', undefined],
  ['{"ingress_payload":{"messages":[{"content":[{"type":"text","text":"parts"}]}]}}', undefined],
  ['{"ingress_payload":{"messages":[7,null,"x",[]]}}', undefined],
  ['{"ingress_payload":{"messages":{"content":"x"}}}', undefined],
  ['{"ingress_payload":{"messages":null}}', undefined],
  ['{"ingress_payload":7}', undefined],
  ['{"ingress_payload":null}', undefined],
  ['{}', undefined],
  ['{"__proto__":{"ingress_payload":{"messages":[]}}}', undefined],
  [`{"ingress_payload":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, undefined],
  [`{"ingress_payload":{"messages":[{"content":"${'word '.repeat(1_000_000)}"}]}}`, 1_000_000],
]
const TOKEN = 'examples'
const AT_ONCE = 500
const OTHERS = '{"word_count":-1}'
const CHAT = { messages: [{ role: 'user', content: 'How many words\nare  these?' }] }

for (const file of ['typescript/word-count.ts', 'python/word_count.py', 'go/main.go']) {
  test(`the example ${file} has at most ${MOST_LINES} lines`, async () => {
    const text = await readFile(join(EXAMPLES, file), 'utf8')
    assert.ok(text.trimEnd().split('\n').length <= MOST_LINES)
  })
}

for (const [language, prepare] of FOREIGN_EXAMPLES) {
  test(`a processor in ${language} adds to the record, survives malformed messages and ends on SIGTERM`, async (context) => {
    const example = await prepare(process.env)
    if (example.kind === 'absent') {
      if (process.env.CI === 'true') assert.fail(example.reason)
      return context.skip(example.reason)
    }
    await using scene = await startScene({ config: { request: { processors: [[ENTRY]] } } })
    const { nats } = scene
    const port = await freePort()
    const kubernetes = { PROCESSOR_SUBJECT: SUBJECT, PROCESSOR_PORT: String(port) }
    const environment = { PATH: process.env.PATH, GATEWAY_HOST: nats.address, NATS_TOKEN: nats.token, ...kubernetes }
    await using program = await startProgram({ ...example, environment })
    await waitForLine(program, /processor initialized/)
    const status = async (path: string): Promise<number> => (await fetch(`http://127.0.0.1:${port}${path}`)).status
    assert.deepEqual([await status('/readyz'), await status('/other')], [200, 404])

    await using client = await connectBusClient(nats)
    for (const [bytes, words] of ANSWERS) {
      const reply = Buffer.from(await client.ask(SUBJECT, Buffer.from(bytes), 20_000)).toString()
      assert.deepEqual(JSON.parse(reply), words === undefined ? {} : { word_count: words }, bytes.slice(0, 100))
    }
    // Invalid messages may stay unanswered, but must not end the processor.
    for (const nonsense of ['', '[]', 'null', 'not json', '\u0000']) client.publish(SUBJECT, Buffer.from(nonsense))

    const message = Buffer.from(JSON.stringify({ ingress_payload: CHAT }))
    assert.match(Buffer.from(await client.ask(SUBJECT, message, 20_000)).toString(), /^\{"word_count": ?5\}$/)
    await assert.rejects(client.expired(SUBJECT, message, 300), { code: 'TIMEOUT' })

    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${scene.url}/chat/completions`, { method: 'POST', headers, body: JSON.stringify(CHAT) })
    assert.equal(answer.status, 200)
    assert.equal((await scene.recordOf(answer)).field('request.word_count'), 5)

    program.kill('SIGTERM')
    assert.deepEqual(await program.exited, { code: 0, signal: null })
  })
  test(`a processor in ${language} is unready without the bus, shares calls with its replicas, and answers pending calls when it ends`, async (context) => {
    const example = await prepare(process.env)
    // The other test fails if the example is missing in CI.
    if (example.kind === 'absent') return context.skip(example.reason)
    const [busPort, port] = [await freePort(), await freePort()]
    const kubernetes = { PROCESSOR_SUBJECT: SUBJECT, PROCESSOR_PORT: String(port) }
    const environment = { PATH: process.env.PATH, GATEWAY_HOST: `127.0.0.1:${busPort}`, NATS_TOKEN: TOKEN }
    await using program = await startProgram({ ...example, environment: { ...environment, ...kubernetes } })
    await until(async () => (await readiness(port)) === 503)
    await using nats = await startNatsServer({ port: busPort, token: TOKEN })
    await until(async () => (await readiness(port)) === 200)
    await using client = await connectBusClient(nats)

    const message = Buffer.from(JSON.stringify({ ingress_payload: CHAT }))
    const askAll = async (): Promise<readonly string[]> => {
      const replies = Array.from({ length: AT_ONCE }, () => client.ask(SUBJECT, message, 60_000))
      return (await Promise.all(replies)).map((reply) => Buffer.from(reply).toString().replaceAll(' ', ''))
    }
    // Another member of the queue group: each message goes to one of the two.
    let taken = 0
    const leave = await client.subscribe(
      SUBJECT,
      ({ reply }) => {
        taken += 1
        reply(Buffer.from(OTHERS))
      },
      SUBJECT,
    )
    const others = (await askAll()).filter((reply) => reply === OTHERS)
    assert.ok(taken > 0 && taken < AT_ONCE, `${taken} of ${AT_ONCE}`)
    assert.equal(others.length, taken)
    leave()
    // The processor finds the messages and the signal at the same moment.
    program.kill('SIGSTOP')
    const asked = askAll()
    await client.flush()
    program.kill('SIGTERM')
    program.kill('SIGCONT')
    for (const reply of await asked) assert.equal(reply, '{"word_count":5}')
    assert.deepEqual(await program.exited, { code: 0, signal: null })
  })
}

/** Returns the status of /readyz; undefined while the port is closed. */
async function readiness(port: number): Promise<number | undefined> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/readyz`)).status
  } catch {
    return undefined // The port opens a moment after the start.
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await holds())) {
    assert.ok(performance.now() < end, 'the condition does not hold within a minute')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
