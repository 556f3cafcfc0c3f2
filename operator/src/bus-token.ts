import type { LlmGateway } from '@llm-gateway/crds'
import { controllerOf, decodeMetadata } from './kube/decode.ts'
import type { KubeClient } from './kube/kube-client.ts'
import { keyOf, type Store, type Stored } from './kube/store.ts'
import { ownedMetadata } from './translate/kube-object.ts'
import { namesOf, TOKEN_KEY } from './translate/names.ts'

export type BusTokenOptions = {
  readonly client: KubeClient
  readonly metadata: Store<Stored>
  readonly randomToken: () => string
}

export type TokenOutcome =
  | { readonly kind: 'there' | 'name conflict' }
  | { readonly kind: 'refused'; readonly code: string }

/** Sees to it that NATS_TOKEN exists where nobody named one: generated and POSTed once, never applied (kubernetes, 2.6). */
export async function ensureBusToken(gateway: LlmGateway, options: BusTokenOptions): Promise<TokenOutcome> {
  if (gateway.spec.bus.tokenSecretRef !== undefined) return { kind: 'there' }
  const { client, metadata, randomToken } = options
  const { namespace } = gateway.metadata
  const name = namesOf(gateway.metadata).token
  const seen = metadata.get(keyOf({ namespace, name }))
  if (seen !== undefined) {
    return { kind: controllerOf(seen) === gateway.metadata.uid ? 'there' : 'name conflict' }
  }
  const place = { kind: 'Secret', namespace, name } as const
  const outcome = await client.create(place, {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: ownedMetadata(gateway.metadata, name, 'bus'),
    data: { [TOKEN_KEY]: Buffer.from(randomToken()).toString('base64') },
  })
  if (outcome.kind === 'refused') return { kind: 'refused', code: outcome.code }
  const stored = decodeMetadata(outcome.object)
  if (stored !== undefined) metadata.put(stored)
  return { kind: 'there' }
}
