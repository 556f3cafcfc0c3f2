import type { KeyReference, LlmGateway } from '@llm-gateway/crds'
import { namesOf, TOKEN_KEY } from '../../model/names.ts'

/** Where pods read NATS_TOKEN: the named Secret, else the one that is generated once. */
export function tokenReference({ metadata, spec }: LlmGateway): KeyReference {
  return spec.bus.tokenSecretRef ?? { name: namesOf(metadata).token, key: TOKEN_KEY }
}
