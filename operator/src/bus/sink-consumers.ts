import type { Logger } from '@llm-gateway/conf'
import type { LlmGateway } from '@llm-gateway/crds'
import type { KubeClient } from '@llm-gateway/kube'
import { keyOf } from '@llm-gateway/kube'
import { sinkName } from '../model/names.ts'
import { busAddress } from '../translate/gateway/gateway-settings.ts'
import { SINK_KINDS } from '../translate/objects/sinks/sink-kinds.ts'
import { askBus, type BusReply } from './ask-bus.ts'
import { recordStreamOf, tokenOf } from './bus-of-gateway.ts'

export type SinkConsumers = {
  /**
   * Deletes the consumer of a removed sink, by the name of the sink's objects; true once the consumer is gone. The bus
   * is asked in the background, so that no worker waits for its answer.
   */
  release(gateway: LlmGateway, name: string): boolean
}

export type SinkConsumersOptions = {
  readonly client: Pick<KubeClient, 'get'>
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Default: the address of the gateway's bus. */
  readonly addressOf?: (gateway: LlmGateway) => string
}

const TIMEOUT_MS = 5_000
/**
 * Error codes of `$JS.API.CONSUMER.DELETE`: no such consumer, no such stream, JetStream off for the server or the
 * account.
 */
const GONE: ReadonlySet<number> = new Set([10014, 10059, 10076, 10039])
/** The most deleted consumers to remember. A forgotten one costs a second question to the bus. */
const MAX_KNOWN = 10_000

export function createSinkConsumers({ client, logger, addressOf = busAddress }: SinkConsumersOptions): SinkConsumers {
  const asking = new Set<string>()
  const gone = new Set<string>()

  const ask = async (gateway: LlmGateway, consumer: string): Promise<void> => {
    const stream = recordStreamOf(gateway)
    const names = { llmgateway: keyOf(gateway.metadata), stream, consumer }
    const token = await tokenOf(client, gateway)
    const subject = `$JS.API.CONSUMER.DELETE.${stream}.${consumer}`
    const reply: BusReply =
      token === undefined
        ? { kind: 'failed', code: 'NO_TOKEN' }
        : await askBus({ address: addressOf(gateway), token, subject, timeoutMs: TIMEOUT_MS })
    const why = consumerRefusal(reply)
    if (why !== undefined) return logger.warn({ ...names, code: why }, 'consumer of a removed sink not deleted yet')
    logger.info(names, 'consumer of a removed sink deleted')
    if (gone.size >= MAX_KNOWN) gone.clear()
    gone.add(`${gateway.metadata.uid} ${consumer}`)
  }
  return {
    release: (gateway, name) => {
      const kind = SINK_KINDS.find((candidate) => sinkName(gateway.metadata, candidate) === name)
      if (kind === undefined) return true
      const consumer = `nats2${kind}`
      const key = `${gateway.metadata.uid} ${consumer}`
      if (gone.delete(key)) return true
      if (asking.has(key)) return false
      asking.add(key)
      // A failed read of the token is the API server's fault, so the next release asks again.
      void ask(gateway, consumer)
        .catch(() => undefined)
        .finally(() => asking.delete(key))
      return false
    },
  }
}

/** Returns undefined where the consumer is gone, else a code. */
function consumerRefusal(reply: BusReply): string | undefined {
  switch (reply.kind) {
    case 'nobody':
      return undefined
    case 'failed':
      return reply.code
    case 'refused':
      return 'REFUSED'
    case 'replied':
      return codeIn(reply.text)
    default:
      return reply satisfies never
  }
}

function codeIn(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    const { error, success } = Object(answer)
    const code: unknown = Object(error).err_code
    if (success === true || (typeof code === 'number' && GONE.has(code))) return undefined
    return typeof code === 'number' ? `STORE_${code}` : 'ODD_ANSWER'
  } catch (error) {
    if (error instanceof SyntaxError) return 'ODD_ANSWER'
    throw error
  }
}
