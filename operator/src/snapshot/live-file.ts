import { gunzipSync } from 'node:zlib'
import { checkGlConfig, type ProcessorEntry } from '@llm-gateway/conf'
import type { LlmGateway } from '@llm-gateway/crds'
import {
  type KubeClient,
  keyOf,
  listAt,
  type ObjectPlace,
  type Store,
  type Stored,
  textAt,
  valueAt,
} from '@llm-gateway/kube'
import { CONFIG_KEY, namesOf } from '../model/names.ts'
import type { LiveCallPoint, RouterEntry } from '../model/snapshot.ts'
import { heldEntry } from '../translate/routers/build-entry.ts'

/** A gateway's configuration as it stands: what entered it stays, also across a restart of ours. */
export type LiveFile = {
  /** Rejects where it can't be read: on a guess a required call point could fall out. */
  read(gateway: LlmGateway): Promise<LiveContent>
  /** What was written just now: spares reading it back. */
  wrote(gateway: LlmGateway, glConfig: string): void
  forget(gateway: string): void
}

export type LiveContent = {
  readonly callPoints: readonly LiveCallPoint[]
  /** By path; those of a form that isn't known are left out. */
  readonly routers: ReadonlyMap<string, RouterEntry>
}

class ConfigUnreadable extends Error {
  readonly code = 'CONFIG_UNREADABLE'
}

const EMPTY: LiveContent = { callPoints: [], routers: new Map() }
/** As much as the gateway unpacks. */
const MOST_TEXT_BYTES = 64 * 1024 * 1024

type Known = { readonly resourceVersion: string; readonly text: string; content?: LiveContent | undefined }

export function createLiveFile(client: KubeClient, configMaps: Store<Stored>): LiveFile {
  const known = new Map<string, Known>()
  const contentOf = (one: Known | undefined): LiveContent => {
    if (one === undefined) return EMPTY
    one.content ??= contentIn(one.text)
    return one.content ?? EMPTY
  }
  return {
    read: async ({ metadata }) => {
      const key = keyOf(metadata)
      const place = placeOf(metadata)
      const last = known.get(key)
      const seen = configMaps.get(keyOf(place))?.metadata.resourceVersion
      if (last !== undefined && last.resourceVersion === seen) return contentOf(last)
      const found = await client.get(place)
      if (found?.kind === 'refused') throw new ConfigUnreadable('refused')
      const text = found === undefined ? undefined : textIn(found.object)
      const content = text === undefined ? undefined : contentIn(text)
      // Somebody deleted or broke it: what this process saw last is better than nothing.
      if (text === undefined || content === undefined) return contentOf(last)
      const resourceVersion = textAt(found?.object, 'metadata', 'resourceVersion') ?? ''
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

function placeOf({ namespace, name }: LlmGateway['metadata']): ObjectPlace {
  return { kind: 'ConfigMap', namespace, name: namesOf({ name }).config }
}

function textIn(configMap: unknown): string | undefined {
  const text = textAt(configMap, 'data', CONFIG_KEY)
  const packed = textAt(configMap, 'binaryData', CONFIG_KEY)
  if (packed === undefined) return text
  try {
    return gunzipSync(Buffer.from(packed, 'base64'), { maxOutputLength: MOST_TEXT_BYTES }).toString()
  } catch (error) {
    if (error instanceof Error) return undefined // somebody broke it
    throw error
  }
}

/** undefined: it is no JSON. A newer operator may have written it, so nothing of it has to be of a known form. */
function contentIn(text: string): LiveContent | undefined {
  try {
    const file: unknown = JSON.parse(text)
    const entries = listAt(file, 'routers').flatMap((router) => entryOf(router) ?? [])
    const routers = entries.map((entry) => [entry.path, entry] as const)
    return { callPoints: [...pointsIn(file, 'request'), ...pointsIn(file, 'response')], routers: new Map(routers) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function pointsIn(file: unknown, phase: LiveCallPoint['phase']): readonly LiveCallPoint[] {
  return listAt(file, phase, 'processors').flatMap((row, index) => {
    const entries: readonly unknown[] = Array.isArray(row) ? row : []
    return entries.flatMap(pointOf).map((entry) => ({ phase, row: index, entry }))
  })
}

/** By the gateway's own check, each alone: one that is new to it costs no other. */
function pointOf(entry: unknown): readonly ProcessorEntry[] {
  const file = { request: { processors: [[entry]] }, response: { processors: [] }, routers: [] }
  const verdict = checkGlConfig(Buffer.from(JSON.stringify(file)), { environment: {} })
  return verdict.kind === 'checked' ? verdict.config.settings.request.processors.flat() : []
}

/** As the operator writes it; undefined: it is of another form. */
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

/** A header that is left out would be a check that is left out. */
function headersAt(router: unknown, side: string): Readonly<Record<string, readonly string[]>> | undefined {
  const headers = Object.entries(valueAt(router, side, 'headers') ?? {})
  const read = headers.flatMap(([name, values]): [string, string[]][] => (isTexts(values) ? [[name, [...values]]] : []))
  return read.length === headers.length ? Object.fromEntries(read) : undefined
}

function isTexts(values: unknown): values is readonly string[] {
  return Array.isArray(values) && values.every((value) => typeof value === 'string')
}
