import { type KubeAnswer, objectPath, type Transport, TransportError } from '@llm-gateway/kube'
import { ADMIN_PORT } from '../model/names.ts'
import type { PodReport } from '../model/snapshot.ts'
import type { Pod } from './decode.ts'
import { decodeReport } from './decode-report.ts'

/** The way to pods: their own address inside the cluster, the API server outside. */
export type PodAccess = 'direct' | 'proxy'

export type AskPod = (pod: Pod, options: { readonly entries: boolean }) => Promise<PodReport>

/** A pod answers in milliseconds. A lost pod must not occupy one of the few concurrent requests. */
const TIMEOUT_MS = 1_000
/** Room for a few facts and the first 16 rejected fields. */
const MAX_STATUS_BYTES = 128 * 1024
/** Room for a line of each of 10,000 routers. Parsing more would block the main thread. */
const MAX_ENTRIES_BYTES = 4 * 1024 * 1024

/** Asks a gateway pod for its `/status` (docs/reference/configuration-rules.md#status). No answer makes it reject. */
export function createAskPod(transport: Transport, access: PodAccess): AskPod {
  return async (pod, { entries }) => {
    const path = `status${entries ? '?entries=1' : ''}`
    const limits = { timeoutMs: TIMEOUT_MS, mostBytes: entries ? MAX_ENTRIES_BYTES : MAX_STATUS_BYTES }
    const ask = access === 'direct' ? direct : askThroughProxy
    try {
      return decodeReport(await ask(transport, { pod, path, limits }))
    } catch (error) {
      if (error instanceof TransportError) return { kind: 'unreachable' }
      throw error
    }
  }
}

type Ask = {
  readonly pod: Pod
  readonly path: string
  readonly limits: { readonly timeoutMs: number; readonly mostBytes: number }
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
