import { API_VERSION } from '@llm-gateway/crds'

/** A resource as it is to be written down. */
export type Resource = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly [field: string]: unknown
}

/** What an import is asked for. */
export type ImportTarget = {
  /** Of the LLMGateway. */
  readonly name: string
  readonly namespace: string
}

/** What one part of the file becomes. */
export type Part = {
  readonly resources: readonly Resource[]
  /** What couldn't be said, or not as it was; each a line. */
  readonly notes: readonly string[]
}

export function ownResource(kind: string, name: string, { namespace }: ImportTarget, spec: object): Resource {
  return { apiVersion: API_VERSION, kind, metadata: { name, namespace }, spec }
}

/** Where people put the values of the variables that the file refers to. */
export function variablesSecret({ name }: ImportTarget): string {
  return `${name}-variables`
}
