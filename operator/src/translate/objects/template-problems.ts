import type { LlmGateway } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { type KeyReading, keyProblems } from '../variables/read-key.ts'
import { type BadCertificate, badCertificate } from './check-certificates.ts'
import { sinkKeys, type UndefinedName, undefinedNames } from './sinks/sink-keys.ts'
import { type Sink, sinksOf } from './sinks/sink-kinds.ts'
import { busKeys, gatewayKeys, sharedKeys } from './template-keys.ts'
import { authorityKeys, ingressKeys } from './tls.ts'
import { webProblems } from './web/web-keys.ts'

/** A reason why a template isn't applied. */
export type TemplateProblem = Extract<KeyReading, { kind: 'problem' }> | BadCertificate | UndefinedName

type Sources = Snapshot['sources']

/** The problems of a gateway's references, by the template that needs them. */
export type TemplateProblems = {
  readonly gateway: readonly TemplateProblem[]
  readonly bus: readonly TemplateProblem[]
  readonly sinks: readonly { readonly sink: Sink; readonly problems: readonly TemplateProblem[] }[]
  readonly web: readonly TemplateProblem[]
  /** The problems of shared variables, for which no template waits. */
  readonly shared: readonly TemplateProblem[]
}

export function templateProblems(
  gateway: LlmGateway,
  sources: Sources,
  badAuthorities: readonly BadCertificate[],
): TemplateProblems {
  const certificates = [...badCertificate(ingressKeys(gateway), sources), ...badAuthorities]
  const ofSink = (sink: Sink): readonly TemplateProblem[] => {
    const keys = [...busKeys(gateway), ...sinkKeys(sink, gateway), ...authorityKeys(gateway)]
    return [...keyProblems(keys, sources), ...badAuthorities, ...undefinedNames(sink)]
  }
  return {
    gateway: [...keyProblems(gatewayKeys(gateway), sources), ...certificates],
    bus: keyProblems(busKeys(gateway), sources),
    sinks: sinksOf(gateway).map((sink) => ({ sink, problems: ofSink(sink) })),
    web: webProblems(gateway, sources),
    shared: keyProblems(sharedKeys(gateway), sources),
  }
}

/** Returns all problems, those of the gateway's own pods first. The bus has no others. */
export function listProblems({ gateway, sinks, shared, web }: TemplateProblems): readonly TemplateProblem[] {
  return [...gateway, ...sinks.flatMap(({ problems }) => problems), ...shared, ...web]
}
