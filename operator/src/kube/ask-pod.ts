import { type AnswerBounds, type KubeAnswer, objectPath, type Transport, TransportError } from '@llm-gateway/kube'
import { ADMIN_PORT } from '../model/names.ts'
import type { PodReport } from '../model/snapshot.ts'
import type { Pod } from './decode.ts'
import { decodeReport } from './decode-report.ts'

/** The way to pods: their own address inside the cluster, the API server outside. */
export type PodAccess = 'direct' | 'proxy'

export type AskPod = (pod: Pod, question: PodQuestion) => Promise<PodReport>

export type PodQuestion = {
  /** True: the pod is asked for its routers' hashes, too. */
  readonly entries: boolean
  /** The number of routers in the largest configuration that the operator knows for this gateway. */
  readonly routers?: number
}

/** A pod answers in milliseconds. A lost pod must not occupy one of the few concurrent requests. */
const TIMEOUT_MS = 1_000
/** Room for a few facts and the first 16 rejected fields. */
const MAX_STATUS_BYTES = 128 * 1024
/** Room for the indexes of 1,000 rejected routers and the other facts. */
const MAX_STATUS_VALUES = 4_096
/** The line of a router: a path of at most 256 characters and its hash. */
const ROUTER_BYTES = 384
/** A pod may still have a configuration with more routers, which the operator gave it before its last restart. */
const EARLIER_ROUTERS = 1_000

/** Asks a gateway pod for its `/status` (docs/reference/configuration-rules.md#status). No answer makes it reject. */
export function createAskPod(transport: Transport, access: PodAccess): AskPod {
  return async (pod, question) => {
    const path = `status${question.entries ? '?entries=1' : ''}`
    const limits = { timeoutMs: TIMEOUT_MS, ...boundsOf(question) }
    const ask = access === 'direct' ? direct : askThroughProxy
    try {
      return decodeReport(await ask(transport, { pod, path, limits }))
    } catch (error) {
      if (!(error instanceof TransportError)) throw error
      return error.code === 'TOO_LONG' ? { kind: 'unreachable', tooLong: true } : { kind: 'unreachable' }
    }
  }
}

/** Longer answers aren't parsed: a pod may run any program, and parsing blocks the main thread. */
function boundsOf({ entries, routers = 0 }: PodQuestion): Required<AnswerBounds> {
  const most = entries ? routers + EARLIER_ROUTERS : 0
  return {
    mostBytes: MAX_STATUS_BYTES + most * ROUTER_BYTES,
    mostValues: MAX_STATUS_VALUES + most,
  }
}

type Ask = {
  readonly pod: Pod
  readonly path: string
  readonly limits: AnswerBounds & { readonly timeoutMs: number }
}

function direct(transport: Transport, { pod: { address }, path, limits }: Ask): Promise<KubeAnswer> {
  const host = address.includes(':') ? `[${address}]` : address
  return transport.get(`http://${host}:${ADMIN_PORT}/${path}`, limits)
}

function askThroughProxy(transport: Transport, { pod: { metadata }, path, limits }: Ask): Promise<KubeAnswer> {
  const { namespace, name } = metadata
  const proxy = objectPath({ kind: 'Pod', namespace, name: `${name}:${ADMIN_PORT}` })
  return transport.request({ method: 'GET', path: `${proxy}/proxy/${path}`, ...limits })
}
