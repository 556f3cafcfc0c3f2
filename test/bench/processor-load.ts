// `node test/bench/processor-load.ts [--processors contentfilter] [--rounds 5] [--seconds 12]`: measures short prompts
// alone and beside 1,000 long prompts a minute. Rounds alternate, so that a slow minute of the machine affects both.
// No result passes or fails by time.
import { parseArgs } from 'node:util'
import { readChat } from '../corpus/read-chat.ts'
import { type BusClient, connectBusClient } from '../fake/bus-client.ts'
import { startNatsServer } from '../fake/nats-server.ts'
import { PROCESSOR_NAMES, startProcessorProgram } from '../fake/processor-program.ts'
import { type Percentiles, percentiles } from './percentiles.ts'

const LONG_BYTES = 50_000
const LONG_EVERY_MS = 60
const SHORT_EVERY_MS = 25
/** The timeout of the shipped rows. */
const ANSWER_MS = 10_000
/** Time for the first messages, which start the threads. */
const WARM_UP_MS = 3_000

const LINES = readChat('en').map(({ text }) => text)

type RoundResult = {
  readonly shortMs: readonly number[]
  readonly longMs: readonly number[]
  readonly unanswered: number
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      processors: { type: 'string', default: 'contentfilter,nlpentities,tokenizer,tokencounter' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '12' },
    },
  })
  const names = PROCESSOR_NAMES.filter((name) => values.processors.split(',').includes(name))
  console.log(
    '| processor | short alone, p50 · p99 ms | beside 1,000 of 50 KB a minute | p99 ratio | long, p50 · p99 ms | unanswered |',
  )
  console.log('| --- | --- | --- | --- | --- | --- |')
  for (const name of names) {
    await using server = await startNatsServer({ jetstream: true })
    await using _program = await startProcessorProgram(name, server)
    await using client = await connectBusClient(server)
    const load = { client, subject: `llm.gl.${name}`, milliseconds: Number(values.seconds) * 1_000 }
    await runLoad({ ...load, milliseconds: WARM_UP_MS }, true)
    const alone: RoundResult[] = []
    const beside: RoundResult[] = []
    for (let round = 0; round < Number(values.rounds); round += 1) {
      alone.push(await runLoad(load, false))
      beside.push(await runLoad(load, true))
    }
    const [quiet, busy] = [alone, beside].map((all) => percentiles(all.flatMap(({ shortMs }) => shortMs)))
    const long = percentiles(beside.flatMap(({ longMs }) => longMs))
    const unanswered = [...alone, ...beside].reduce((sum, one) => sum + one.unanswered, 0)
    if (quiet === undefined || busy === undefined) return
    const ratio = (busy.p99 / quiet.p99).toFixed(2)
    console.log(`| ${name} | ${shown(quiet)} | ${shown(busy)} | ${ratio} | ${shown(long)} | ${unanswered} |`)
  }
}

type Load = { readonly client: BusClient; readonly subject: string; readonly milliseconds: number }

/** Runs an open loop: each prompt is timed from its due time. */
async function runLoad({ client, subject, milliseconds }: Load, besideLong: boolean): Promise<RoundResult> {
  const [shortMs, longMs]: [number[], number[]] = [[], []]
  let unanswered = 0
  const made = new Map([0, LONG_BYTES].map((bytes) => [bytes, prompts(milliseconds, bytes)]))
  const begin = performance.now()
  const ask = async (message: Buffer, due: number, times: number[]): Promise<void> => {
    try {
      await client.ask(subject, message, ANSWER_MS)
      times.push(performance.now() - due)
    } catch {
      unanswered += 1 // The result reports the number.
    }
  }
  const sendPaced = async (everyMs: number, bytes: number, times: number[]): Promise<void> => {
    const asked: Promise<void>[] = []
    for (let number = 0; number * everyMs < milliseconds; number += 1) {
      const due = begin + number * everyMs
      await until(due)
      asked.push(ask(made.get(bytes)?.[number] ?? prompt(number, bytes), due, times))
    }
    await Promise.all(asked)
  }
  await Promise.all([
    sendPaced(SHORT_EVERY_MS, 0, shortMs),
    ...(besideLong ? [sendPaced(LONG_EVERY_MS, LONG_BYTES, longMs)] : []),
  ])
  return { shortMs, longMs, unanswered }
}

async function until(due: number): Promise<void> {
  for (let left = due - performance.now(); left > 0; left = due - performance.now()) {
    await new Promise((resolve) => setTimeout(resolve, left))
  }
}

/** Makes all prompts before the measurement: the time to make a long prompt would count as a short prompt's latency. */
function prompts(milliseconds: number, bytes: number): readonly Buffer[] {
  const everyMs = bytes === 0 ? SHORT_EVERY_MS : LONG_EVERY_MS
  return Array.from({ length: Math.ceil(milliseconds / everyMs) }, (_, number) => prompt(number, bytes))
}

/** Joins lines of real chats, in a different order for each number, so that no cache of earlier prompts helps. */
function prompt(number: number, bytes: number): Buffer {
  const lines: string[] = []
  for (let length = 0, at = number * 7; length <= bytes; at += 1 + (number % 5)) {
    const line = LINES[at % LINES.length] ?? ''
    lines.push(line)
    length += line.length + 1
  }
  const messages = [{ role: 'user', content: lines.join('\n') }]
  const payload = { model: 'gpt-4o', messages }
  return Buffer.from(JSON.stringify({ gl_path: '/a/', ingress_payload: payload, outbound_payload: payload }))
}

function shown({ p50, p99 }: Percentiles): string {
  return `${p50.toFixed(1)} · ${p99.toFixed(1)}`
}

await main()
