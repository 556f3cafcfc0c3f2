import { type RunningGateway, startGateway } from './gateway.ts'
import type { GatewayOptions } from './gateway-addresses.ts'
import { type Llm, type LlmOptions, startLlm } from './llm.ts'
import { type NatsServer, type NatsServerOptions, startNatsServer } from './nats-server.ts'
import { collectRecords, type Records, type SeenRecord } from './records.ts'

/** A gateway with a bus, an LLM API at `/llm/` and a collector of records. */
export type Scene = {
  readonly nats: NatsServer
  readonly records: Records
  readonly llm: Llm
  readonly gateway: RunningGateway
  /** `http://127.0.0.1:port/llm` */
  readonly url: string
  /** Waits for the record with the transaction id of the answer. */
  recordOf(answer: { readonly headers: Headers }): Promise<SeenRecord>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export type SceneOptions = Omit<GatewayOptions, 'nats'> & {
  readonly llm?: LlmOptions
  readonly nats?: NatsServerOptions
  /** Routers in place of `/llm/`. */
  readonly routers?: (llmUrl: string) => readonly unknown[]
}

/** Starts the scene. `config` is merged over a file whose only router is `/llm/`, to the LLM API. */
export async function startScene(options: SceneOptions = {}): Promise<Scene> {
  const nats = await startNatsServer(options.nats)
  const records = await collectRecords(nats)
  const llm = await startLlm(options.llm)
  const routers = options.routers?.(llm.url) ?? [{ path: '/llm/', outbound: { url: llm.url } }]
  const gateway = await startGateway({ ...options, nats, config: { routers, ...options.config } })
  // A connection for calls and one for records. Before both are open, processors don't answer and a large record is
  // lost.
  await gateway.logs.waitUntil((lines) => lines.filter(({ msg }) => msg === 'bus connected').length >= 2)
  const close = async (): Promise<void> => {
    // Closed first, since a hanging answer would hold up the gateway's drain.
    await llm.close()
    await gateway.close()
    await records.close()
    await nats.close()
  }
  return {
    nats,
    records,
    llm,
    gateway,
    url: `${gateway.url}/llm`,
    recordOf: (answer) => {
      const id = answer.headers.get('session-id')
      return records.waitFor(({ record }) => record.transaction_id === id, { what: `the record of ${id}` })
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
