import type { LlmGateway } from '@llm-gateway/crds'

export const SINK_KINDS = ['file', 'elastic', 'rest', 'azure', 'azurelogs', 'otlp', 's3', 'postgres'] as const
export type SinkKind = (typeof SINK_KINDS)[number]

type Sinks = NonNullable<LlmGateway['spec']['record']['sinks']>
/** Names of objects and files have small letters only, so `azureLogs` is the kind `azurelogs`. */
type FieldOf<Kind extends SinkKind> = Kind extends 'azurelogs' ? 'azureLogs' : Exclude<Kind, 'azurelogs'>
export type Sink = {
  readonly [Kind in SinkKind]: { readonly kind: Kind } & NonNullable<Sinks[FieldOf<Kind>]>
}[SinkKind]

/** Returns the sinks of a gateway, in a fixed order. */
export function sinksOf({ spec }: Pick<LlmGateway, 'spec'>): readonly Sink[] {
  const { file, elastic, rest, azure, azureLogs, otlp, s3, postgres } = spec.record.sinks ?? {}
  return [
    ...(file === undefined ? [] : [{ kind: 'file', ...file } as const]),
    ...(elastic === undefined ? [] : [{ kind: 'elastic', ...elastic } as const]),
    ...(rest === undefined ? [] : [{ kind: 'rest', ...rest } as const]),
    ...(azure === undefined ? [] : [{ kind: 'azure', ...azure } as const]),
    ...(azureLogs === undefined ? [] : [{ kind: 'azurelogs', ...azureLogs } as const]),
    ...(otlp === undefined ? [] : [{ kind: 'otlp', ...otlp } as const]),
    ...(s3 === undefined ? [] : [{ kind: 's3', ...s3 } as const]),
    ...(postgres === undefined ? [] : [{ kind: 'postgres', ...postgres } as const]),
  ]
}
