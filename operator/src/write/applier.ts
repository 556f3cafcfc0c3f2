import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import {
  isKind,
  isObject,
  type KubeClient,
  keyOf,
  type ObjectReference,
  type Store,
  type Stored,
  textAt,
  valueAt,
  type WriteOutcome,
} from '@llm-gateway/kube'
import { controllerOf } from '../kube/decode.ts'
import { decodeLean } from '../kube/decode-lean.ts'
import { unpackText } from '../kube/unpack-text.ts'
import { APPLIED_ANNOTATION, type KubeObject } from '../model/kube-object.ts'
import { inTurns } from '../translate/steps.ts'
import { contains } from './contains.ts'
import { fingerprint as fingerprintOf } from './fingerprint.ts'
import { putBack } from './put-back.ts'

export type ApplyOutcome =
  | { readonly kind: 'unchanged' | 'applied' }
  /**
   * Another owner's object has the name. The operator never takes it by force (docs/reference/kubernetes.md#ownership).
   */
  | { readonly kind: 'name conflict' }
  | { readonly kind: 'refused'; readonly code: string; readonly fields: readonly string[] }

export type Applier = { apply(object: KubeObject): Promise<ApplyOutcome> }

export type ApplierOptions = {
  readonly client: KubeClient
  readonly metadata: ReadonlyMap<string, Store<Stored>>
  /** A ConfigMap with more bytes of text is compressed. */
  readonly packAboveBytes?: number
}

const PACK_ABOVE_BYTES = 512 * 1024
const INVALID = 422
/** The most objects to remember. A forgotten object costs a read; those of deleted gateways are forgotten first. */
const MAX_KNOWN = 20_000

/** Makes the server-side apply that writes only differences: at rest it writes nothing. */
export function createApplier({ client, metadata, packAboveBytes = PACK_ABOVE_BYTES }: ApplierOptions): Applier {
  /** uid → the applied fingerprint, and the object's mark after that write. */
  const known = new Map<string, { readonly fingerprint: string; readonly mark: string }>()

  const remember = (object: unknown, place: ObjectReference, fingerprint: string): void => {
    const stored = decodeLean(object)
    if (stored === undefined) return
    metadata.get(place.kind)?.put(stored, true)
    const { uid } = stored.metadata
    known.delete(uid)
    known.set(uid, { fingerprint, mark: markOf(stored) })
    const [oldest] = known.keys()
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest)
  }
  const written = (outcome: WriteOutcome, place: ObjectReference, fingerprint: string): ApplyOutcome => {
    if (outcome.kind === 'refused') return refusal(outcome)
    remember(outcome.object, place, fingerprint)
    return { kind: 'applied' }
  }
  return {
    apply: async (object) => {
      const place = placeOf(object)
      // The fingerprint is of the unpacked content, as is the comparison below: gzip's bytes differ between builds.
      const fingerprint = await inTurns(fingerprintOf(object))
      const live = metadata.get(place.kind)?.get(keyOf(place))
      const before = live === undefined ? undefined : known.get(live.metadata.uid)
      if (live !== undefined && before?.fingerprint === fingerprint && before.mark === markOf(live)) {
        // Labels and annotations don't move the generation, so they are compared.
        const { labels, annotations } = annotated(object, fingerprint).metadata
        if (isControlledBy(live, object) && contains(live.metadata, { labels, annotations }))
          return { kind: 'unchanged' }
      }
      const wanted = annotated(object, fingerprint)
      const stored = await client.get(place)
      if (stored?.kind === 'refused') return refusal(stored)
      if (stored !== undefined) {
        if (!isOurs(stored.object, object)) return { kind: 'name conflict' }
        if (isBoundElsewhere(stored.object, object)) {
          const removed = await client.remove(place, textAt(stored.object, 'metadata', 'uid') ?? '')
          if (removed.kind === 'refused' && removed.status !== 404) return refusal(removed)
          return written(await client.apply(place, wanted, true), place, fingerprint)
        }
        if (
          textAt(stored.object, 'metadata', 'annotations', APPLIED_ANNOTATION) === fingerprint &&
          contains(await unpacked(stored.object), wanted)
        ) {
          remember(stored.object, place, fingerprint)
          return { kind: 'unchanged' }
        }
      }
      // An object that somebody made since the read is kept: a new object is applied without force, and the uid refuses
      // any other.
      const uid = textAt(stored?.object, 'metadata', 'uid')
      const ours = withUid(await packed(wanted, packAboveBytes), uid)
      const attempt = await client.apply(place, ours, uid === undefined)
      const isInvalid = attempt.kind === 'refused' && attempt.status === INVALID && uid !== undefined
      const outcome = isInvalid ? await putBack(client, place, ours) : attempt
      return written(outcome, place, fingerprint)
    },
  }
}

function placeOf({ kind, metadata: { namespace, name } }: KubeObject): ObjectReference {
  if (!isKind(kind)) throw new Error('a kind that is never applied', { cause: kind })
  return { kind, namespace, name }
}

/** Returns a mark that moves when somebody changes our fields. Kinds without a generation move it with any change. */
function markOf({ metadata }: Stored): string {
  return metadata.generation > 0 ? `generation ${metadata.generation}` : `version ${metadata.resourceVersion}`
}

function isOurs(live: unknown, object: KubeObject): boolean {
  const stored = decodeLean(live)
  return stored !== undefined && isControlledBy(stored, object)
}

function isControlledBy(live: Stored, { metadata }: KubeObject): boolean {
  return controllerOf(live) === metadata.ownerReferences[0]?.uid
}

/** The role of a RoleBinding is immutable, so another role needs a new binding. */
function isBoundElsewhere(live: unknown, { kind, roleRef }: KubeObject): boolean {
  return kind === 'RoleBinding' && !contains(valueAt(live, 'roleRef'), roleRef)
}

function annotated(object: KubeObject, fingerprint: string): KubeObject {
  const { metadata } = object
  const annotations = { ...metadata.annotations, [APPLIED_ANNOTATION]: fingerprint }
  return { ...object, metadata: { ...metadata, annotations } }
}

function withUid(object: KubeObject, uid: string | undefined): KubeObject {
  return uid === undefined ? object : { ...object, metadata: { ...object.metadata, uid } }
}

/** Compresses large texts: a ConfigMap holds 1 MiB, and 5,000 Routers are 1.4 MB of text and 157 KB compressed. */
async function packed(object: KubeObject, aboveBytes: number): Promise<KubeObject> {
  const { data, ...rest } = object
  if (object.kind !== 'ConfigMap' || !isObject(data)) return object
  const texts = Object.entries(data).map(([key, text]): [string, string] => [key, String(text)])
  if (texts.reduce((sum, [, text]) => sum + Buffer.byteLength(text), 0) <= aboveBytes) return object
  return {
    ...rest,
    metadata: object.metadata,
    kind: object.kind,
    apiVersion: object.apiVersion,
    binaryData: await gzipped(texts),
  }
}

/** Returns a stored ConfigMap with its packed texts in `data`; any other object as it is. */
async function unpacked(stored: unknown): Promise<unknown> {
  const members = valueAt(stored, 'binaryData')
  if (!isObject(stored) || stored.kind !== 'ConfigMap' || !isObject(members)) return stored
  const texts = await Promise.all(
    Object.entries(members).map(async ([key, member]) => [
      key,
      typeof member === 'string' ? await unpackText(member) : undefined,
    ]),
  )
  return { ...stored, data: Object.fromEntries(texts) }
}

const pack = promisify(gzip)

/** The texts are packed beside the event loop, since 16 MiB take 0.3 s. */
async function gzipped(texts: readonly (readonly [string, string])[]): Promise<object> {
  return Object.fromEntries(
    await Promise.all(texts.map(async ([key, text]) => [key, (await pack(text)).toString('base64')] as const)),
  )
}

function refusal({ code, fields = [] }: Extract<WriteOutcome, { kind: 'refused' }>): ApplyOutcome {
  return { kind: 'refused', code, fields }
}
