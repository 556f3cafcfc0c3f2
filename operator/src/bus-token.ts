import type { LlmGateway } from '@llm-gateway/crds'
import { decodeMetadata, type KubeClient, keyOf, type Store, type Stored } from '@llm-gateway/kube'
import { controllerOf } from './kube/decode.ts'
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

const CONFLICT = 409

/** Sees to it that NATS_TOKEN exists where nobody named one: generated and POSTed once, never applied (kubernetes, 2.6). */
export async function ensureBusToken(gateway: LlmGateway, options: BusTokenOptions): Promise<TokenOutcome> {
  if (gateway.spec.bus.tokenSecretRef !== undefined) return { kind: 'there' }
  const { client, metadata, randomToken } = options
  const { namespace } = gateway.metadata
  const name = namesOf(gateway.metadata).token
  const seen = metadata.get(keyOf({ namespace, name }))
  if (seen !== undefined) return ownedBy(gateway, seen)
  const place = { kind: 'Secret', namespace, name } as const
  const outcome = await client.create(place, {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: ownedMetadata(gateway.metadata, name, 'bus'),
    data: { [TOKEN_KEY]: Buffer.from(randomToken()).toString('base64') },
  })
  // The one who led before made it a moment ago: our watch hasn't told yet.
  const found = outcome.kind === 'refused' && outcome.status === CONFLICT ? await client.get(place) : undefined
  const there = found?.kind === 'written' ? decodeMetadata(found.object) : undefined
  if (there !== undefined) return ownedBy(gateway, there)
  if (outcome.kind === 'refused') return { kind: 'refused', code: outcome.code }
  const stored = decodeMetadata(outcome.object)
  if (stored !== undefined) metadata.put(stored, true)
  return { kind: 'there' }
}

function ownedBy({ metadata: { uid } }: LlmGateway, secret: Stored): TokenOutcome {
  return { kind: controllerOf(secret) === uid ? 'there' : 'name conflict' }
}
