import { connectBusClient } from './bus-client.ts'
import { Journal } from './journal.ts'
import { encodeReply, NO_REPLY, type ProcessorReply, readMessage, type SeenMessage } from './processor.ts'
import type { SeenRecord } from './records.ts'
import { type Scene, type SceneOptions, startScene } from './scene.ts'

/** A processor entry with the keys of gl_config.json. Without `reply` the reply is empty. */
export type ProcessorEntry = Readonly<Record<string, unknown>> & {
  readonly name: string
  readonly reply?: (message: SeenMessage) => ProcessorReply | Promise<ProcessorReply>
}

/** Rows that apply to one path only, and additional settings of this path's router (`$LLM` is the LLM API's url). */
export type PipelineCase = {
  readonly path: string
  readonly request?: readonly (readonly ProcessorEntry[])[]
  readonly response?: readonly (readonly ProcessorEntry[])[]
  readonly router?: Readonly<Record<string, unknown>>
}

export type ProcessorCall = SeenMessage & {
  readonly path: string
  readonly name: string
  /** The header Gateway-Router. */
  readonly router: string | undefined
}

export type PipelineScene = Scene & {
  /** Every message to any processor, in order of arrival. */
  readonly calls: Journal<ProcessorCall>
  /** Posts to the path and waits for the record. `body` is the answer's text; `calls` are the messages of this path. */
  ask(path: string, init?: RequestInit): Promise<AnsweredCall>
}

export type AnsweredCall = {
  readonly answer: Response
  readonly body: string
  readonly record: SeenRecord
  readonly calls: readonly ProcessorCall[]
}

/** Starts a gateway with the rows of all cases, each limited to its case's path, and one client as all processors. */
export async function startPipelineScene(
  cases: readonly PipelineCase[],
  options: Omit<SceneOptions, 'routers'> = {},
): Promise<PipelineScene> {
  const replies = new Map<string, ProcessorEntry['reply']>()
  const rows = (phase: 'request' | 'response'): unknown[] =>
    cases.flatMap(({ path, [phase]: list = [] }) =>
      list.map((row) => row.map(({ reply, ...entry }) => configured(phase, path, entry, reply))),
    )
  const configured = (phase: string, path: string, entry: ProcessorEntry, reply: ProcessorEntry['reply']): unknown => {
    const service_bus_topic = `case.${phase}.${path.replaceAll('/', '')}.${entry.name}`
    replies.set(service_bus_topic, reply)
    return { service_bus_topic, timeout: 20_000, routers: [path], ...entry }
  }
  const config = { request: { processors: rows('request') }, response: { processors: rows('response') } }
  const scene = await startScene({
    ...options,
    config: { ...config, ...options.config },
    routers: (url) => cases.map(({ path, router }) => withUrl({ path, outbound: { url: '$LLM' }, ...router }, url)),
  })
  const calls = new Journal<ProcessorCall>()
  const client = await connectBusClient(scene.nats)
  await client.subscribe('case.>', async (message) => {
    const [, , path = '', name = ''] = message.subject.split('.')
    const seen = { ...readMessage(message.bytes), path: `/${path}/`, name, router: message.router }
    calls.add(seen)
    const answer = await replies.get(message.subject)?.(seen)
    if (answer !== NO_REPLY) message.reply(encodeReply(answer))
  })
  const close = async (): Promise<void> => {
    await client.close()
    await scene.close()
  }
  return {
    ...scene,
    calls,
    ask: async (path, init = {}) => {
      const body = init.method === undefined || init.method === 'POST' ? { method: 'POST', body: '{"a":1}' } : {}
      const headers = { 'Content-Type': 'application/json', ...init.headers }
      const answer = await fetch(`${scene.gateway.url}${path}`, { ...body, ...init, headers })
      const text = await answer.text()
      const record = await scene.recordOf(answer)
      const own = `/${path.split('/')[1]}/`
      return { answer, body: text, record, calls: calls.entries.filter((call) => call.path === own) }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Replaces `$LLM` in a router by the LLM API's address and `$LLM_HOST` by its host and port. */
function withUrl(router: unknown, url: string): unknown {
  return JSON.parse(JSON.stringify(router).replaceAll('$LLM_HOST', new URL(url).host).replaceAll('$LLM', url))
}
