import { isDeepStrictEqual } from 'node:util'
import { type KubeClient, keyOf, type ObjectReference, type Store, type Stored } from '@llm-gateway/kube'

type WithStatus = Stored & { readonly status: object }

export type StatusWrite<T extends WithStatus> = {
  readonly kind: 'LLMGateway' | 'Router' | 'Processor'
  readonly store: Store<T>
  readonly decode: (object: unknown, before?: T) => T | undefined
  /** Object → the status that was written to it, where the API server kept only a part. */
  readonly unkept: WeakMap<object, object>
}

/** Writes a status if it differs, and puts the answer into the store. Resolves with the code of a refusal. */
export async function writeStatus<T extends WithStatus>(
  client: Pick<KubeClient, 'merge'>,
  { kind, store, decode, unkept }: StatusWrite<T>,
  { object, status }: { readonly object: T; readonly status: object },
): Promise<string | undefined> {
  if (hasStatus({ object, status }, unkept)) return undefined
  const { namespace, name, uid } = object.metadata
  const place: ObjectReference = { kind, namespace, name }
  const gone = Object.keys(object.status).filter((key) => !Object.hasOwn(status, key))
  const cleared = Object.fromEntries(gone.map((key) => [key, null]))
  // With the uid, so that a new object of the same name doesn't get the status of the old object.
  const outcome = await client.merge(place, { metadata: { uid }, status: { ...cleared, ...status } }, 'status')
  if (outcome.kind === 'refused')
    return isGone(outcome.status, store.get(keyOf(object.metadata)), uid) ? undefined : outcome.code
  const now = store.get(keyOf(object.metadata))
  // The watch may have brought the deletion of the object before this answer came.
  if (now?.metadata.uid !== uid) return undefined
  const written = decode(outcome.object, now)
  if (written === undefined) return undefined
  store.put(written)
  const kept = store.get(keyOf(object.metadata))
  if (kept !== undefined && !isDeepStrictEqual(written.status, status)) unkept.set(kept, status)
  return undefined
}

/** Returns whether an object has a status already, or as much of the status as the API server keeps. */
export function hasStatus<T extends WithStatus>(
  { object, status }: { readonly object: T; readonly status: object },
  unkept: StatusWrite<T>['unkept'],
): boolean {
  return isDeepStrictEqual(object.status, status) || isDeepStrictEqual(unkept.get(object), status)
}

/**
 * A conflict means another object of that name, or too many writers at once. Only in the first case the status has lost
 * its object.
 */
function isGone(status: number, now: Stored | undefined, uid: string): boolean {
  return status === 404 || (status === 409 && now?.metadata.uid !== uid)
}
