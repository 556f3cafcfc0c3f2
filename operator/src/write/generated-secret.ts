import type { LlmGateway } from '@llm-gateway/crds'
import { type KubeClient, keyOf, type Store, type Stored } from '@llm-gateway/kube'
import { controllerOf } from '../kube/decode.ts'
import { decodeLean } from '../kube/decode-lean.ts'
import { type Component, ownedMetadata } from '../model/kube-object.ts'
import type { Secret } from '../model/manifest.ts'
import { GUI_SECRET_KEY, namesOf, TOKEN_KEY } from '../model/names.ts'

export type GeneratedSecretOptions = {
  readonly client: KubeClient
  readonly metadata: Store<Stored>
  readonly randomText: () => string
}

export type SecretOutcome =
  | { readonly kind: 'there' | 'name conflict' }
  | { readonly kind: 'refused'; readonly code: string }

/** A Secret with one random text. */
export type GeneratedSecret = { readonly name: string; readonly key: string; readonly component: Component }

const CONFLICT = 409

/** Returns the Secret of NATS_TOKEN; undefined: the gateway names one. */
export function busToken({ metadata, spec }: LlmGateway): GeneratedSecret | undefined {
  if (spec.bus.tokenSecretRef !== undefined) return undefined
  return { name: namesOf(metadata).token, key: TOKEN_KEY, component: 'bus' }
}

/** Returns the Secret of GUI_SECRET; undefined: there is no web interface, or it names one. */
export function webSecret({ metadata, spec }: LlmGateway): GeneratedSecret | undefined {
  if (spec.webInterface === undefined || spec.webInterface.secretRef !== undefined) return undefined
  return { name: namesOf(metadata).web, key: GUI_SECRET_KEY, component: 'web' }
}

/**
 * Creates a gateway's generated Secret where it doesn't exist. It is POSTed once and never applied
 * (docs/reference/kubernetes.md#ownership).
 */
export async function ensureSecret(
  gateway: LlmGateway,
  secret: GeneratedSecret | undefined,
  { client, metadata, randomText }: GeneratedSecretOptions,
): Promise<SecretOutcome> {
  if (secret === undefined) return { kind: 'there' }
  const { name, key, component } = secret
  const { namespace } = gateway.metadata
  const seen = metadata.get(keyOf({ namespace, name }))
  if (seen !== undefined) return ownedBy(gateway, seen)
  const place = { kind: 'Secret', namespace, name } as const
  const manifest: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: ownedMetadata(gateway.metadata, name, component),
    data: { [key]: Buffer.from(randomText()).toString('base64') },
  }
  const outcome = await client.create(place, manifest)
  // The previous leader made the Secret a moment ago, and the watch hasn't brought it yet.
  const found = outcome.kind === 'refused' && outcome.status === CONFLICT ? await client.get(place) : undefined
  const there = found?.kind === 'written' ? decodeLean(found.object) : undefined
  if (there !== undefined) return ownedBy(gateway, there)
  if (outcome.kind === 'refused') return { kind: 'refused', code: outcome.code }
  const stored = decodeLean(outcome.object)
  if (stored !== undefined) metadata.put(stored, true)
  return { kind: 'there' }
}

function ownedBy({ metadata: { uid } }: LlmGateway, secret: Stored): SecretOutcome {
  return { kind: controllerOf(secret) === uid ? 'there' : 'name conflict' }
}
