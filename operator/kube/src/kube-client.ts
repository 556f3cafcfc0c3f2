import { listAt, textAt } from './json-value.ts'
import { namespacePath, type ObjectPlace, objectPath } from './resource-path.ts'
import type { KubeAnswer, Transport } from './transport.ts'

/** What a write gave; `code` is the API server's reason, `Conflict`, or its status; `fields` are those that it names. */
export type WriteOutcome =
  | { readonly kind: 'written'; readonly object: unknown }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly fields?: readonly string[] }

/** The few verbs that we use; all reject with TransportError where there is no answer. */
export type KubeClient = {
  /** undefined: there is none. Another status than 200 or 404 is refused. */
  get(place: ObjectPlace): Promise<WriteOutcome | undefined>
  /** Server-side apply; what others wrote into fields of ours is taken back, unless it is to be new. */
  apply(place: ObjectPlace, object: unknown, isNew?: boolean): Promise<WriteOutcome>
  create(place: ObjectPlace, object: unknown): Promise<WriteOutcome>
  merge(place: ObjectPlace, patch: unknown, subresource?: 'status'): Promise<WriteOutcome>
  remove(place: ObjectPlace, uid: string): Promise<WriteOutcome>
}

/** `fieldManager`: the name under which the API server keeps what this client wrote. */
export function createKubeClient(transport: Transport, fieldManager: string): KubeClient {
  const manager = `fieldManager=${fieldManager}`
  return {
    get: async (place) => {
      const answer = await transport.request({ method: 'GET', path: objectPath(place) })
      return answer.status === 404 ? undefined : outcomeOf(answer)
    },
    apply: async (place, object, isNew = false) =>
      outcomeOf(
        await transport.request({
          method: 'PATCH',
          path: `${objectPath(place)}?${manager}&force=${!isNew}`,
          contentType: 'application/apply-patch+yaml',
          body: object,
        }),
      ),
    create: async ({ kind, namespace }, object) =>
      outcomeOf(
        await transport.request({
          method: 'POST',
          path: `${namespacePath(kind, namespace)}?${manager}`,
          body: object,
        }),
      ),
    merge: async (place, patch, subresource) =>
      outcomeOf(
        await transport.request({
          method: 'PATCH',
          path: `${objectPath(place)}${subresource === undefined ? '' : `/${subresource}`}?${manager}`,
          contentType: 'application/merge-patch+json',
          body: patch,
        }),
      ),
    remove: async (place, uid) =>
      outcomeOf(
        await transport.request({ method: 'DELETE', path: objectPath(place), body: { preconditions: { uid } } }),
      ),
  }
}

function outcomeOf({ status, body }: KubeAnswer): WriteOutcome {
  if (status >= 200 && status < 300) return { kind: 'written', object: body }
  const fields = fieldsOf(body)
  const code = textAt(body, 'reason') ?? String(status)
  return { kind: 'refused', status, code, ...(fields.length === 0 ? {} : { fields }) }
}

const MOST_FIELDS = 4
/** A path and nothing else: whoever stands before the API server may write sentences there. */
const FIELD = /^[\w.[\]/-]{1,128}$/

/** Never its message, which quotes what was written. */
function fieldsOf(body: unknown): readonly string[] {
  const named = listAt(body, 'details', 'causes').map((cause) => textAt(cause, 'field') ?? '')
  return [...new Set(named)].filter((field) => FIELD.test(field)).slice(0, MOST_FIELDS)
}
