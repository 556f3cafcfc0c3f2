import { Agent, request } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiServer } from '../fake/api-server.ts'

/** An object of the API server. */
export type StoredObject = {
  readonly apiVersion?: string
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid?: string
    readonly generation?: number
    readonly resourceVersion?: string
    readonly creationTimestamp?: string
    readonly deletionTimestamp?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly { readonly uid: string; readonly controller?: boolean }[]
  }
  readonly [field: string]: unknown
}

export type ObjectReference = { readonly kind: string; readonly namespace?: string; readonly name: string }

/**
 * The API server's administrator. The administrator does not use kubectl, since a process for each request would cost
 * too much.
 */
export type Admin = {
  /** Applies objects on the server. Rejects with the API server's answer. */
  apply(...objects: readonly object[]): Promise<void>
  get(place: ObjectReference): Promise<StoredObject | undefined>
  /** Lists objects; `fields` is a field selector. */
  list(kind: string, namespace?: string, fields?: string): Promise<readonly StoredObject[]>
  merge(place: ObjectReference, patch: object, subresource?: string): Promise<void>
  /** Deletes an object. A missing object is no error. */
  remove(place: ObjectReference): Promise<void>
  close(): void
}

const RETRY_MS = 500
const LLM = '/apis/llmgateway.io/v1alpha1'
const COLLECTIONS: Readonly<Record<string, readonly [base: string, plural: string]>> = {
  LLMGateway: [LLM, 'llmgateways'],
  Router: [LLM, 'routers'],
  Processor: [LLM, 'processors'],
  Namespace: ['/api/v1', 'namespaces'],
  Secret: ['/api/v1', 'secrets'],
  ConfigMap: ['/api/v1', 'configmaps'],
  Service: ['/api/v1', 'services'],
  ServiceAccount: ['/api/v1', 'serviceaccounts'],
  Pod: ['/api/v1', 'pods'],
  Event: ['/api/v1', 'events'],
  Deployment: ['/apis/apps/v1', 'deployments'],
  StatefulSet: ['/apis/apps/v1', 'statefulsets'],
  PodDisruptionBudget: ['/apis/policy/v1', 'poddisruptionbudgets'],
  NetworkPolicy: ['/apis/networking.k8s.io/v1', 'networkpolicies'],
  ClusterRole: ['/apis/rbac.authorization.k8s.io/v1', 'clusterroles'],
  ClusterRoleBinding: ['/apis/rbac.authorization.k8s.io/v1', 'clusterrolebindings'],
  Lease: ['/apis/coordination.k8s.io/v1', 'leases'],
}

export function createAdmin({ url, authority, token }: Pick<ApiServer, 'url' | 'authority' | 'token'>): Admin {
  const agent = new Agent({ ca: authority, keepAlive: true, maxSockets: 32 })
  const askOnce = (method: string, path: string, body?: object, type = 'application/json'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': type, 'user-agent': 'administrator' }
      const call = request(new URL(path, url), { method, agent, headers }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.once('error', reject)
        answer.once('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({ status: answer.statusCode ?? 0, text })
        })
      })
      call.once('error', reject)
      call.end(body === undefined ? undefined : JSON.stringify(body))
    })
  /** A kind that was just installed answers 429 for a moment. */
  const ask = async (...call: Parameters<typeof askOnce>): Promise<Answer> => {
    const answer = await askOnce(...call)
    if (answer.status !== 429) return answer
    await pause(RETRY_MS)
    return ask(...call)
  }
  const must = async (answer: Promise<Answer>): Promise<string> => {
    const { status, text } = await answer
    if (status >= 300) throw new Error(`the API server answered ${status}: ${text.slice(0, 500)}`)
    return text
  }
  return {
    apply: async (...objects) => {
      for (const object of objects) {
        const place: StoredObject = JSON.parse(JSON.stringify(object))
        const { namespace, name } = place.metadata
        const path = pathOf({ kind: place.kind, name, ...(namespace === undefined ? {} : { namespace }) })
        await must(ask('PATCH', `${path}?fieldManager=people&force=true`, object, 'application/apply-patch+yaml'))
      }
    },
    get: async (place) => {
      const answer = await ask('GET', pathOf(place))
      if (answer.status === 404) return undefined
      return JSON.parse(await must(Promise.resolve(answer)))
    },
    list: async (kind, namespace, fields = '') => {
      const query = fields === '' ? '' : `?fieldSelector=${encodeURIComponent(fields)}`
      const { status, text } = await ask('GET', `${collectionOf(kind, namespace)}${query}`)
      // A kind that isn't installed has no objects.
      if (status === 404) return []
      const { items }: { readonly items: readonly StoredObject[] } = JSON.parse(
        await must(Promise.resolve({ status, text })),
      )
      return items.map((item) => ({ ...item, kind }))
    },
    merge: async (place, patch, subresource) => {
      const path = subresource === undefined ? pathOf(place) : `${pathOf(place)}/${subresource}`
      await must(ask('PATCH', path, patch, 'application/merge-patch+json'))
    },
    remove: async (place) => {
      const answer = await ask('DELETE', pathOf(place))
      if (answer.status !== 404) await must(Promise.resolve(answer))
    },
    close: () => agent.destroy(),
  }
}

type Answer = { readonly status: number; readonly text: string }

function collectionOf(kind: string, namespace: string | undefined): string {
  const [base, plural] = COLLECTIONS[kind] ?? []
  if (base === undefined || plural === undefined) throw new Error(`no collection of kind ${kind}`)
  return namespace === undefined ? `${base}/${plural}` : `${base}/namespaces/${namespace}/${plural}`
}

function pathOf({ kind, namespace, name }: ObjectReference): string {
  return `${collectionOf(kind, namespace)}/${name}`
}

/** Returns a field of an object of unknown shape as text. */
export function textIn(holder: unknown, key: string): string | undefined {
  if (typeof holder !== 'object' || holder === null) return undefined
  const found: unknown = Object.entries(holder).find(([name]) => name === key)?.[1]
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined
}
