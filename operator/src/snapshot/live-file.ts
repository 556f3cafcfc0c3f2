import { checkGlConfig, type ProcessorEntry } from '@llm-gateway/conf'
import type { LlmGateway } from '@llm-gateway/crds'
import {
  JsonTooLarge,
  type KubeClient,
  keyOf,
  listAt,
  type ObjectReference,
  parseInSteps,
  type Store,
  type Stored,
  textAt,
  valueAt,
} from '@llm-gateway/kube'
import { unpackText } from '../kube/unpack-text.ts'
import { CONFIG_KEY, namesOf } from '../model/names.ts'
import type { LiveCallPoint, RouterEntry } from '../model/snapshot.ts'
import { MAX_TEXT_BYTES } from '../translate/file-limits.ts'
import { heldEntry } from '../translate/routers/build-entry.ts'
import { inTurns, type Steps } from '../translate/steps.ts'

/**
 * The gl_config.json of each gateway as the cluster has it, so that entries in it outlive a restart of the operator.
 */
export type LiveFile = {
  /** Rejects where the ConfigMap can't be read: with a guess instead, a required call point could drop out. */
  read(gateway: LlmGateway): Promise<LiveContent>
  /** Remembers the text that was just written, which spares a read. */
  wrote(gateway: LlmGateway, glConfig: string): void
  forget(gateway: string): void
}

export type LiveContent = {
  readonly callPoints: readonly LiveCallPoint[]
  /** By router path. Entries of an unknown form are left out. */
  readonly routers: ReadonlyMap<string, RouterEntry>
}

class ConfigUnreadable extends Error {
  readonly code = 'CONFIG_UNREADABLE'
}

const EMPTY: LiveContent = { callPoints: [], routers: new Map() }

type CachedFile = { readonly resourceVersion: string; readonly text: string; content?: LiveContent | undefined }

export function createLiveFile(client: KubeClient, configMaps: Store<Stored>): LiveFile {
  const known = new Map<string, CachedFile>()
  const contentOf = async (one: CachedFile | undefined): Promise<LiveContent> => {
    if (one === undefined) return EMPTY
    one.content ??= await inTurns(contentIn(one.text))
    return one.content ?? EMPTY
  }
  return {
    read: async ({ metadata }) => {
      const key = keyOf(metadata)
      const place = placeOf(metadata)
      const last = known.get(key)
      const seen = configMaps.get(keyOf(place))?.metadata.resourceVersion
      if (last !== undefined && last.resourceVersion === seen) return contentOf(last)
      const stored = await client.get(place)
      if (stored?.kind === 'refused') throw new ConfigUnreadable('refused')
      const text = stored === undefined ? undefined : await textIn(stored.object)
      const content = text === undefined ? undefined : await inTurns(contentIn(text))
      // The ConfigMap was deleted or broken. The last content that this process read is better than none.
      if (text === undefined || content === undefined) return contentOf(last)
      const resourceVersion = textAt(stored?.object, 'metadata', 'resourceVersion') ?? ''
      known.set(key, { resourceVersion, text, content })
      return content
    },
    wrote: ({ metadata }, text) => {
      const resourceVersion = configMaps.get(keyOf(placeOf(metadata)))?.metadata.resourceVersion ?? ''
      const last = known.get(keyOf(metadata))
      known.set(keyOf(metadata), { resourceVersion, text, content: last?.text === text ? last.content : undefined })
    },
    forget: (gateway) => {
      known.delete(gateway)
    },
  }
}

function placeOf({ namespace, name }: LlmGateway['metadata']): ObjectReference {
  return { kind: 'ConfigMap', namespace, name: namesOf({ name }).config }
}

async function textIn(configMap: unknown): Promise<string | undefined> {
  const text = textAt(configMap, 'data', CONFIG_KEY)
  const packed = textAt(configMap, 'binaryData', CONFIG_KEY)
  return packed === undefined ? text : unpackText(packed)
}

/**
 * Returns the call points and routers of the text, an entry in each step; undefined: it isn't JSON. A newer operator may
 * have written the text, so unknown forms are skipped.
 */
function* contentIn(text: string): Steps<LiveContent | undefined> {
  const file = yield* parsed(text)
  if (file === undefined) return undefined
  const routers = new Map<string, RouterEntry>()
  for (const router of listAt(file, 'routers')) {
    const entry = entryOf(router)
    if (entry !== undefined) routers.set(entry.path, entry)
    yield
  }
  return { callPoints: [...(yield* pointsIn(file, 'request')), ...(yield* pointsIn(file, 'response'))], routers }
}

/** The file that the operator writes has eight levels, and a value has four characters with its comma, such as `"/",`. */
const LIMITS = { mostLevels: 1_000, mostValues: MAX_TEXT_BYTES / 4 }

function* parsed(text: string): Steps<unknown> {
  try {
    return yield* parseInSteps(text, LIMITS)
  } catch (error) {
    if (error instanceof JsonTooLarge) throw new ConfigUnreadable('too large', { cause: error })
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function* pointsIn(file: unknown, phase: LiveCallPoint['phase']): Steps<readonly LiveCallPoint[]> {
  const points: LiveCallPoint[] = []
  for (const [row, written] of listAt(file, phase, 'processors').entries()) {
    const entries: readonly unknown[] = Array.isArray(written) ? written : []
    for (const one of entries) {
      points.push(...pointOf(one).map((entry) => ({ phase, row, entry })))
      yield
    }
  }
  return points
}

/** Checks one entry alone by the gateway's own check, so that an unknown entry costs no other entry. */
function pointOf(entry: unknown): readonly ProcessorEntry[] {
  const file = { request: { processors: [[entry]] }, response: { processors: [] }, routers: [] }
  const verdict = checkGlConfig(Buffer.from(JSON.stringify(file)), { environment: {} })
  return verdict.kind === 'checked' ? verdict.config.settings.request.processors.flat() : []
}

/** Returns a router's entry in the form that the operator writes; undefined: it has another form. */
function entryOf(router: unknown): RouterEntry | undefined {
  const [path, url] = [textAt(router, 'path'), textAt(router, 'outbound', 'url')]
  if (path === undefined) return undefined
  if (valueAt(router, 'disabled') === true) return heldEntry(path)
  const asked = headersAt(router, 'ingress')
  const sent = headersAt(router, 'outbound')
  if (url === undefined || asked === undefined || sent === undefined) return undefined
  const internal = valueAt(router, 'internal') === true ? ({ internal: true } as const) : {}
  const endpoint = textAt(router, 'outbound', 'endpoint') ?? ''
  return { path, ...internal, ingress: { headers: asked }, outbound: { url, endpoint, headers: sent } }
}

/** Returns undefined if any header can't be read: without that header an ingress check would be missing. */
function headersAt(router: unknown, side: string): Readonly<Record<string, readonly string[]>> | undefined {
  const headers = Object.entries(valueAt(router, side, 'headers') ?? {})
  const read = headers.flatMap(([name, values]): [string, string[]][] => (isTexts(values) ? [[name, [...values]]] : []))
  return read.length === headers.length ? Object.fromEntries(read) : undefined
}

function isTexts(values: unknown): values is readonly string[] {
  return Array.isArray(values) && values.every((value) => typeof value === 'string')
}
