import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RunningGateway, startGateway } from './gateway.ts'
import type { GatewayConfig } from './gateway-file.ts'
import { type Llm, startLlm } from './llm.ts'
import { type NatsServer, startNatsServer } from './nats-server.ts'
import { type ProcessorName, type ProcessorProgramOptions, startProcessorProgram } from './processor-program.ts'
import type { Program } from './program.ts'
import { collectRecords, type Records, type SeenRecord } from './records.ts'

/** A busy machine may pause for seconds, so late answers are accepted. */
const LONG_TIMEOUT_MS = 20_000
const SET_FILE = join(import.meta.dirname, '../../conf/examples/processors/gl_config.json')
/** The callers' key of `/restricted/`, and the LLM API's key below. */
export const CALLER_KEY = 'callers-own'
export const LLM_KEY = 'real-key'

export type ExampleSetOptions = {
  /** The processors to start, in this order. */
  readonly processors: readonly ProcessorName[]
  /** Changes of their shipped settings. */
  readonly options?: Readonly<Partial<Record<ProcessorName, ProcessorProgramOptions>>>
  /** Changes the example's gl_config.json, whose short timeouts were raised to 20 s before. */
  readonly change?: (config: GatewayConfig) => GatewayConfig
}

/** The gateway with the rows and routers of conf/examples/processors, an LLM API and real processors. */
export type ExampleSet = {
  readonly nats: NatsServer
  readonly records: Records
  readonly llm: Llm
  readonly gateway: RunningGateway
  readonly url: string
  readonly programs: ReadonlyMap<ProcessorName, Program>
  /** Starts another process of a kind, for example in place of a killed process. */
  start(name: ProcessorName, options?: ProcessorProgramOptions): Promise<Program>
  /** Kills every process of a kind. */
  stopAll(name: ProcessorName): Promise<void>
  /** Posts JSON and waits for the record. */
  ask(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<AnsweredCall>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type AnsweredCall = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed body; undefined if it is empty. */
  readonly json: unknown
  readonly record: SeenRecord
}

export async function startExampleSet({ processors, options = {}, change }: ExampleSetOptions): Promise<ExampleSet> {
  await using stack = new AsyncDisposableStack()
  const nats = stack.use(await startNatsServer({ jetstream: true }))
  const records = stack.use(await collectRecords(nats))
  const llm = stack.use(await startLlm())
  const later = new AsyncDisposableStack()
  const all: { readonly name: ProcessorName; readonly program: Program }[] = []
  const startInto = async (owner: AsyncDisposableStack, name: ProcessorName, own: ProcessorProgramOptions = {}) => {
    const program = owner.use(await startProcessorProgram(name, nats, own))
    all.push({ name, program })
    return program
  }
  const programs = new Map<ProcessorName, Program>()
  for (const name of processors) programs.set(name, await startInto(stack, name, options[name]))
  const example = withLongTimeouts(JSON.parse(await readFile(SET_FILE, 'utf8')))
  const { $schema: _schema, gl_port: _port, admin_port: _admin, service_bus: _bus, ...set } = example
  const gateway = stack.use(
    await startGateway({
      nats,
      config: change === undefined ? set : change(set),
      env: { AISERVICE_API_BASE: llm.url, AISERVICE_API_KEY: LLM_KEY, GATEWAY_API_KEY: CALLER_KEY },
    }),
  )
  // The gateway has one connection for calls and one for records.
  await gateway.logs.waitUntil((lines) => lines.filter(({ msg }) => msg === 'bus connected').length >= 2)
  const running = stack.move()
  const close = async (): Promise<void> => {
    await later.disposeAsync()
    // Closed before the gateway: a hanging answer would hold up its drain.
    await llm.close()
    await running.disposeAsync()
  }
  return {
    nats,
    records,
    llm,
    gateway,
    url: gateway.url,
    programs,
    start: (name, own) => startInto(later, name, own),
    stopAll: async (name) => {
      for (const { program } of all.filter((entry) => entry.name === name)) {
        program.kill('SIGKILL')
        await program.exited
      }
    },
    ask: async (path, body, headers = {}) => {
      const all = { 'Content-Type': 'application/json', ...headers }
      const answer = await fetch(`${gateway.url}${path}`, { method: 'POST', headers: all, body: JSON.stringify(body) })
      const text = await answer.text()
      const id = answer.headers.get('session-id')
      const record = await records.waitFor((seen) => seen.record.transaction_id === id, { what: `the record of ${id}` })
      const json: unknown = text === '' ? undefined : JSON.parse(text)
      return { status: answer.status, headers: answer.headers, text, json, record }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function withLongTimeouts(config: GatewayConfig): GatewayConfig {
  return JSON.parse(JSON.stringify(config), (key, value) =>
    key === 'timeout' ? Math.max(value, LONG_TIMEOUT_MS) : value,
  )
}

/** Returns a chat request with one question. */
export function chat(content: string, more: Readonly<Record<string, unknown>> = {}): GatewayConfig {
  return {
    model: 'gpt-4',
    messages: [
      { role: 'system', content: 'Help.' },
      { role: 'user', content },
    ],
    ...more,
  }
}

export const CHAT_PATH = 'llmapi/deployments/gpt4/chat/completions?api-version=2024-10-21'
