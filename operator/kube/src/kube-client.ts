import { listAt, textAt } from './json-value.ts'
import { namespacePath, type ObjectReference, objectPath } from './resource-path.ts'
import type { KubeAnswer, Transport } from './transport.ts'

/**
 * The outcome of a write. `code` is the API server's reason, `Conflict`, or its status; `fields` are the fields that it
 * named.
 */
export type WriteOutcome =
  | { readonly kind: 'written'; readonly object: unknown }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly fields?: readonly string[] }

/** The verbs that the operator uses. All reject with TransportError where there is no answer. */
export type KubeClient = {
  /** Reads an object; undefined: there is none. Any status but 200 and 404 is a refusal. */
  get(place: ObjectReference): Promise<WriteOutcome | undefined>
  /**
   * Applies on the server side. Our fields that others wrote are taken over; with `isNew` such a field is a conflict.
   */
  apply(place: ObjectReference, object: unknown, isNew?: boolean): Promise<WriteOutcome>
  create(place: ObjectReference, object: unknown): Promise<WriteOutcome>
  merge(place: ObjectReference, patch: unknown, subresource?: 'status'): Promise<WriteOutcome>
  remove(place: ObjectReference, uid: string): Promise<WriteOutcome>
}

/** Makes a client. `fieldManager` is the name under which the API server keeps its writes. */
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

const MAX_FIELDS = 4
/** A path of a field. A proxy before the API server may write sentences into this place, which must not be shown. */
const FIELD = /^[\w.[\]/-]{1,128}$/

/** Returns the fields that a refusal names. Its message is never used, since it quotes the written object. */
function fieldsOf(body: unknown): readonly string[] {
  const named = listAt(body, 'details', 'causes').map((cause) => textAt(cause, 'field') ?? '')
  return [...new Set(named)].filter((field) => FIELD.test(field)).slice(0, MAX_FIELDS)
}
