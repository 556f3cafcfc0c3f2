import { checkGlConfig } from '@llm-gateway/conf'
import type { LlmGateway } from '@llm-gateway/crds'
import { textAt } from './kube/json-value.ts'
import type { KubeClient } from './kube/kube-client.ts'
import type { ObjectPlace } from './kube/resource-path.ts'
import { keyOf, type Store, type Stored } from './kube/store.ts'
import type { LiveCallPoint } from './snapshot.ts'
import { CONFIG_KEY, namesOf } from './translate/names.ts'

/** The call points in a gateway's configuration as it stands: what entered it stays, also across a restart of ours. */
export type LiveCallPoints = {
  /** Rejects where it can't be read: on a guess a required one could fall out. */
  read(gateway: LlmGateway): Promise<readonly LiveCallPoint[]>
  /** What was written just now: spares reading it back. */
  wrote(gateway: LlmGateway, points: readonly LiveCallPoint[]): void
  forget(gateway: string): void
}

class ConfigUnreadable extends Error {
  readonly code = 'CONFIG_UNREADABLE'
}

export function createLiveCallPoints(client: KubeClient, configMaps: Store<Stored>): LiveCallPoints {
  const known = new Map<string, { readonly resourceVersion: string; readonly points: readonly LiveCallPoint[] }>()
  return {
    read: async ({ metadata }) => {
      const key = keyOf(metadata)
      const place = placeOf(metadata)
      const last = known.get(key)
      const seen = configMaps.get(keyOf(place))?.metadata.resourceVersion
      if (last !== undefined && last.resourceVersion === seen) return last.points
      const found = await client.get(place)
      if (found?.kind === 'refused') throw new ConfigUnreadable('refused')
      const points = found === undefined ? undefined : pointsIn(found.object)
      // Somebody deleted or broke it: what this process saw last is better than nothing.
      if (points === undefined) return last?.points ?? []
      const resourceVersion = textAt(found?.object, 'metadata', 'resourceVersion') ?? ''
      known.set(key, { resourceVersion, points })
      return points
    },
    wrote: ({ metadata }, points) => {
      const resourceVersion = configMaps.get(keyOf(placeOf(metadata)))?.metadata.resourceVersion ?? ''
      known.set(keyOf(metadata), { resourceVersion, points })
    },
    forget: (gateway) => {
      known.delete(gateway)
    },
  }
}

function placeOf({ namespace, name }: LlmGateway['metadata']): ObjectPlace {
  return { kind: 'ConfigMap', namespace, name: namesOf({ name }).config }
}

function pointsIn(configMap: unknown): readonly LiveCallPoint[] | undefined {
  const text = textAt(configMap, 'data', CONFIG_KEY)
  const packed = textAt(configMap, 'binaryData', CONFIG_KEY)
  if (text === undefined && packed === undefined) return undefined
  const verdict = checkGlConfig(Buffer.from(text ?? packed ?? '', text === undefined ? 'base64' : 'utf8'), {
    environment: {},
  })
  if (verdict.kind !== 'checked') return undefined
  const { request, response } = verdict.config.settings
  return [
    ...request.processors.flat().map((entry) => ({ phase: 'request', entry }) as const),
    ...response.processors.flat().map((entry) => ({ phase: 'response', entry }) as const),
  ]
}
