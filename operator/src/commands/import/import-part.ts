import { API_VERSION } from '@llm-gateway/crds'

/** A resource of the output. */
export type Resource = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly [field: string]: unknown
}

/** The names for an import's resources. */
export type ImportTarget = {
  /** The name of the LLMGateway. */
  readonly name: string
  readonly namespace: string
}

/** The resources and notes from one part of the file. */
export type ImportPart = {
  readonly resources: readonly Resource[]
  /** Settings that were lost or changed, one per line. */
  readonly notes: readonly string[]
}

export function ownResource(kind: string, name: string, { namespace }: ImportTarget, spec: object): Resource {
  return { apiVersion: API_VERSION, kind, metadata: { name, namespace }, spec }
}

/** Names the Secret into which people put the values of the file's variables. */
export function variablesSecret({ name }: ImportTarget): string {
  return `${name}-variables`
}
