import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { type Admin, type StoredObject, textIn } from './admin.ts'
import type { ApiCall } from './api-call.ts'
import type { Fault } from './api-proxy.ts'

/** A stand-in for the kubelet and the programs in pods: pods become ready, and gateways report their files. */
export type GatewayPods = {
  /** A proxy's rule that answers requests to a pod's admin port. */
  answer(call: ApiCall): Promise<Fault | undefined>
  /** Makes pods keep their files in spite of nudges, until the returned function is called. */
  freeze(): () => void
  close(): Promise<void>
}

/** The files that a pod read at its start or last nudge. Without a nudge it doesn't read them again. */
type Mounted = { readonly nudge: string; readonly digest: string; readonly revision: string; readonly entries: object }

const LOOK_MS = 100
const GATEWAY_LABEL = 'llmgateway.io/gateway'
const NUDGE = 'llmgateway.io/config'
/** Pods with this text in their image never become ready. */
export const BROKEN = 'broken'

export function startGatewayPods(admin: Admin): GatewayPods {
  const mounts = new Map<string, Mounted>()
  const stop = new AbortController()
  let count = 0
  let isFrozen = false

  const makeReady = async (pod: StoredObject): Promise<void> => {
    const { name, namespace = '' } = pod.metadata
    count += 1
    const status = {
      phase: 'Running',
      podIP: `10.9.${Math.floor(count / 250)}.${count % 250}`,
      conditions: ['Ready', 'ContainersReady', 'PodScheduled', 'Initialized'].map((type) => ({ type, status: 'True' })),
    }
    // The pod may be gone.
    await admin.merge({ kind: 'Pod', namespace, name }, { status }, 'status').catch(() => undefined)
  }
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      const pods = await admin.list('Pod', undefined, 'status.phase=Pending').catch(() => [])
      await Promise.all(pods.filter((pod) => !JSON.stringify(pod.spec).includes(BROKEN)).map(makeReady))
      await pause(LOOK_MS, undefined, { signal: stop.signal }).catch(() => undefined)
    }
  }
  const running = run()

  const mountedBy = async (namespace: string, name: string): Promise<Mounted | undefined> => {
    const pod = await admin.get({ kind: 'Pod', namespace, name })
    const gateway = pod?.metadata.labels?.[GATEWAY_LABEL]
    if (pod === undefined || gateway === undefined) return undefined
    const uid = pod.metadata.uid ?? ''
    const nudge = pod.metadata.annotations?.[NUDGE] ?? ''
    const before = mounts.get(uid)
    if (before !== undefined && (isFrozen || before.nudge === nudge)) return before
    const [config, values] = await Promise.all([
      admin.get({ kind: 'ConfigMap', namespace, name: `${gateway}-config` }),
      admin.get({ kind: 'Secret', namespace, name: `${gateway}-values` }),
    ])
    const text = configText(config)
    if (text === undefined) return undefined
    const revision = Buffer.from(textIn(values?.data, 'REVISION') ?? '', 'base64').toString()
    const mounted = { nudge, digest: `sha256:${sha256(text)}`, revision, entries: entriesOf(text) }
    mounts.set(uid, mounted)
    return mounted
  }
  return {
    answer: async ({ resource, subresource, namespace, name }) => {
      if (resource !== 'pods' || subresource !== 'proxy') return undefined
      const mounted = await mountedBy(namespace, name.split(':')[0] ?? '')
      if (mounted === undefined) return { kind: 'answer', status: 503 }
      const { digest, revision, entries } = mounted
      return {
        kind: 'answer',
        status: 200,
        body: { digest, values_revision: revision, bus: 'connected', entries },
      }
    },
    freeze: () => {
      isFrozen = true
      return () => {
        isFrozen = false
      }
    },
    close: async () => {
      stop.abort()
      await running
    },
  }
}

/** Returns gl_config.json of a ConfigMap, unpacked if need be. */
export function configText(config: StoredObject | undefined): string | undefined {
  const packed = textIn(config?.binaryData, 'gl_config.json') ?? textIn(config?.binaryData, 'gl_config.json.gz')
  if (packed === undefined) return textIn(config?.data, 'gl_config.json')
  return gunzipSync(Buffer.from(packed, 'base64')).toString()
}

function entriesOf(text: string): object {
  const { routers }: { readonly routers: readonly { readonly path: string }[] } = JSON.parse(text)
  return Object.fromEntries(routers.map((entry) => [entry.path, sha256(JSON.stringify(entry))]))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
