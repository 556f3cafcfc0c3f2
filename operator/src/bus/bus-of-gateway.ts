import type { LlmGateway } from '@llm-gateway/crds'
import type { KubeClient } from '@llm-gateway/kube'
import { tokenReference } from '../model/names.ts'

/** Names the stream in which the bus of a gateway keeps records (docs/reference/kept-records.md#stream). */
export function recordStreamOf({ spec }: LlmGateway): string {
  return `records_${spec.bus.prefix.replaceAll(/[^\w-]/g, '_')}`
}

/** Reads the token of a gateway's bus; undefined: there is none. Rejects where the API server doesn't answer. */
export async function tokenOf(client: Pick<KubeClient, 'get'>, gateway: LlmGateway): Promise<string | undefined> {
  const { name, key } = tokenReference(gateway)
  const secret = await client.get({ kind: 'Secret', namespace: gateway.metadata.namespace, name })
  const text: unknown = secret?.kind === 'written' ? Object(Object(secret.object).data)[key] : undefined
  return typeof text === 'string' ? Buffer.from(text, 'base64').toString().replace(/\n$/, '') : undefined
}
