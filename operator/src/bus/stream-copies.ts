import type { Logger } from '@llm-gateway/conf'
import type { LlmGateway } from '@llm-gateway/crds'
import type { KubeClient } from '@llm-gateway/kube'
import { isObject, keyOf, numberAt, valueAt } from '@llm-gateway/kube'
import { busAddress } from '../translate/gateway/gateway-settings.ts'
import { askBus } from './ask-bus.ts'
import { recordStreamOf, tokenOf } from './bus-of-gateway.ts'

export type StreamCopies = {
  /**
   * Returns the number of copies that a managed bus's stream kept of each record when last asked; undefined: unknown.
   * In the background it raises that number to the number of the bus's servers.
   */
  of(gateway: LlmGateway): number | undefined
  forget(gateway: string): void
}

export type StreamCopiesOptions = {
  readonly client: Pick<KubeClient, 'get'>
  readonly logger: Pick<Logger, 'info' | 'warn'>
  /** Called when the number became known or changed. */
  readonly changed: (gateway: string) => void
  /** Default: the address of the gateway's bus. */
  readonly addressOf?: (gateway: LlmGateway) => string
  readonly now: () => number
}

const TIMEOUT_MS = 5_000
/** A stream with enough copies is asked about again after this time. */
const FINE_MS = 600_000
const AGAIN_MS = 20_000

type KnownStream = { copies: number | undefined; askAt: number; asking: boolean; code: string | undefined }

export function createStreamCopies(options: StreamCopiesOptions): StreamCopies {
  const { client, logger, changed, addressOf = busAddress, now } = options
  const known = new Map<string, KnownStream>()

  /**
   * Raises the copies of a stream that a gateway made before all servers of its cluster were there. The stream's
   * records are copied, and none is lost.
   */
  const raiseCopies = async (gateway: LlmGateway): Promise<Pick<KnownStream, 'copies' | 'code'>> => {
    const token = await tokenOf(client, gateway)
    if (token === undefined) return { copies: undefined, code: 'NO_TOKEN' }
    const stream = recordStreamOf(gateway)
    const wanted = gateway.spec.bus.managed.replicas
    const ask = (verb: 'INFO' | 'UPDATE', payload = '') =>
      askBus({
        address: addressOf(gateway),
        token,
        subject: `$JS.API.STREAM.${verb}.${stream}`,
        payload,
        timeoutMs: TIMEOUT_MS,
      })
    const current = configOf(await ask('INFO'))
    const copies = numberAt(current.config, 'num_replicas')
    if (!isObject(current.config) || copies === undefined || copies >= wanted) return { copies, code: current.code }
    const made = configOf(await ask('UPDATE', JSON.stringify({ ...current.config, num_replicas: wanted })))
    return { copies: numberAt(made.config, 'num_replicas') ?? copies, code: made.code }
  }
  const look = async (gateway: LlmGateway, one: KnownStream): Promise<void> => {
    const key = keyOf(gateway.metadata)
    const { replicas } = gateway.spec.bus.managed
    // A failed read of the token is the API server's fault, so it is tried again.
    const { copies, code } = await raiseCopies(gateway).catch(() => ({ copies: undefined, code: 'NO_ANSWER' }))
    one.asking = false
    one.askAt = now() + (copies !== undefined && copies >= replicas ? FINE_MS : AGAIN_MS)
    const names = { llmgateway: key, stream: recordStreamOf(gateway), copies, wanted: replicas }
    if (code !== undefined && code !== one.code)
      logger.warn({ ...names, code }, 'number of copies of each record could not be set')
    one.code = code
    if (copies === one.copies) return
    one.copies = copies
    // An unknown number isn't logged: the line above has its reason.
    if (copies !== undefined) logger.info(names, 'stream keeps this number of copies of each record')
    changed(key)
  }
  return {
    of: (gateway) => {
      const { type, managed } = gateway.spec.bus
      if (type !== 'Managed' || managed.replicas === 1) return undefined
      const key = keyOf(gateway.metadata)
      const one = known.get(key) ?? { copies: undefined, askAt: 0, asking: false, code: undefined }
      known.set(key, one)
      if (!one.asking && now() >= one.askAt) {
        one.asking = true
        void look(gateway, one) // never rejects
      }
      return one.copies
    },
    forget: (gateway) => {
      known.delete(gateway)
    },
  }
}

function configOf(reply: Awaited<ReturnType<typeof askBus>>): {
  readonly config?: unknown
  readonly code: string | undefined
} {
  if (reply.kind === 'failed') return { code: reply.code }
  if (reply.kind !== 'replied') return { code: reply.kind === 'nobody' ? 'NO_STREAM' : 'REFUSED' }
  try {
    const answer: unknown = JSON.parse(reply.text)
    const code = numberAt(answer, 'error', 'err_code')
    return code === undefined ? { config: valueAt(answer, 'config'), code: undefined } : { code: `STORE_${code}` }
  } catch (error) {
    if (error instanceof SyntaxError) return { code: 'ODD_ANSWER' }
    throw error
  }
}
