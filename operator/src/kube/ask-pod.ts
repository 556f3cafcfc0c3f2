import type { PodReport } from '../snapshot.ts'
import { ADMIN_PORT } from '../translate/names.ts'
import type { Pod } from './decode.ts'
import { isObject, textAt } from './json-value.ts'
import { objectPath } from './resource-path.ts'
import { type KubeAnswer, type Transport, TransportError } from './transport.ts'

/** How pods are reached: at their own address inside the cluster, through the API server outside. */
export type PodAccess = 'direct' | 'proxy'

export type AskPod = (pod: Pod, options: { readonly entries: boolean }) => Promise<PodReport>

/** A pod that answers does so in milliseconds; one that is gone must not hold one of the few asks at once (kubernetes, 3). */
const TIMEOUT_MS = 1_000

/** Asks a gateway pod for its `/status` (wire, 1.1); never rejects. */
export function createAskPod(transport: Transport, access: PodAccess): AskPod {
  return async (pod, { entries }) => {
    const path = `status${entries ? '?entries=1' : ''}`
    try {
      return reportOf(await (access === 'direct' ? direct(transport, pod, path) : proxied(transport, pod, path)))
    } catch (error) {
      if (error instanceof TransportError) return { kind: 'unreachable' }
      throw error
    }
  }
}

function direct(transport: Transport, { address }: Pod, path: string): Promise<KubeAnswer> {
  const host = address.includes(':') ? `[${address}]` : address
  return transport.get(`http://${host}:${ADMIN_PORT}/${path}`, TIMEOUT_MS)
}

function proxied(transport: Transport, { metadata }: Pod, path: string): Promise<KubeAnswer> {
  const { namespace, name } = metadata
  const proxy = objectPath({ kind: 'Pod', namespace, name: `${name}:${ADMIN_PORT}` })
  return transport.request({ method: 'GET', path: `${proxy}/proxy/${path}`, timeoutMs: TIMEOUT_MS })
}

function reportOf({ status, body }: KubeAnswer): PodReport {
  const digest = textAt(body, 'digest')
  if (status !== 200 || digest === undefined) return { kind: 'unreachable' }
  return {
    kind: 'reported',
    digest,
    valuesRevision: textAt(body, 'values_revision') ?? '0',
    busConnected: textAt(body, 'bus') === 'connected',
    entries: isObject(body) && isObject(body.entries) ? entriesOf(body.entries) : undefined,
    rejectedFields: isObject(body) && isObject(body.rejected_fields) ? Object.keys(body.rejected_fields) : [],
    reloadFailed: textAt(body, 'reload', 'result') === 'failed',
  }
}

function entriesOf(entries: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(entries).map(([path, hash]): [string, string] => [path, String(hash)]))
}
