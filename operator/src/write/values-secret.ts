import type { LlmGateway } from '@llm-gateway/crds'
import { type KubeClient, keyOf, type ObjectReference, type Store, type Stored } from '@llm-gateway/kube'
import { controllerOf, decodeSource } from '../kube/decode.ts'
import { decodeLean } from '../kube/decode-lean.ts'
import { ownedMetadata } from '../model/kube-object.ts'
import type { Secret } from '../model/manifest.ts'
import { namesOf, REVISION_KEY } from '../model/names.ts'
import type { LiveValues, ValuesWrite } from '../translate/variables/union-values.ts'

export type ValuesOutcome =
  | { readonly kind: 'found'; readonly live: LiveValues | undefined }
  | { readonly kind: 'name conflict' }
  | { readonly kind: 'refused'; readonly code: string }

/** The values beside a gateway's configuration, in one Secret. */
export type ValuesSecret = {
  read(gateway: LlmGateway): Promise<ValuesOutcome>
  write(gateway: LlmGateway, values: ValuesWrite): Promise<ValuesOutcome>
}

export function createValuesSecret(client: KubeClient, metadata: Store<Stored>): ValuesSecret {
  /** Key → the last content with its resourceVersion, which spares reads at rest. */
  const cache = new Map<string, { readonly resourceVersion: string; readonly live: LiveValues }>()

  const take = (object: unknown, gateway: LlmGateway): ValuesOutcome => {
    const stored = decodeLean(object)
    if (stored === undefined) return { kind: 'refused', code: 'UNREADABLE' }
    if (controllerOf(stored) !== gateway.metadata.uid) return { kind: 'name conflict' }
    metadata.put(stored, true)
    const live = liveOf(object)
    cache.set(keyOf(stored.metadata), { resourceVersion: stored.metadata.resourceVersion, live })
    return { kind: 'found', live }
  }
  return {
    read: async (gateway) => {
      const place = placeOf(gateway)
      const seen = metadata.get(keyOf(place))
      const cached = cache.get(keyOf(place))
      const isOurs = seen !== undefined && controllerOf(seen) === gateway.metadata.uid
      if (isOurs && cached?.resourceVersion === seen.metadata.resourceVersion)
        return { kind: 'found', live: cached.live }
      const found = await client.get(place)
      if (found === undefined) return { kind: 'found', live: undefined }
      return found.kind === 'refused' ? { kind: 'refused', code: found.code } : take(found.object, gateway)
    },
    write: async (gateway, values) => {
      const outcome = await client.apply(placeOf(gateway), secretOf(gateway, values))
      return outcome.kind === 'refused' ? { kind: 'refused', code: outcome.code } : take(outcome.object, gateway)
    },
  }
}

function placeOf({ metadata }: LlmGateway): ObjectReference {
  return { kind: 'Secret', namespace: metadata.namespace, name: namesOf(metadata).values }
}

function liveOf(object: unknown): LiveValues {
  const source = decodeSource(object)
  const all = source.kind === 'found' ? source.values : new Map<string, string>()
  const revision = Number(all.get(REVISION_KEY) ?? '0')
  return { values: new Map([...all].filter(([name]) => name !== REVISION_KEY)), revision }
}

function secretOf({ metadata }: LlmGateway, { values, revision }: ValuesWrite): Secret {
  const texts = [...values, [REVISION_KEY, String(revision)] as const]
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: ownedMetadata(metadata, namesOf(metadata).values, 'gateway'),
    data: Object.fromEntries(texts.map(([name, text]) => [name, Buffer.from(text).toString('base64')])),
  }
}
