import type { LlmGateway } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { type KeyReading, keyProblems } from '../variables/read-key.ts'
import { type BadCertificate, badAuthorities, badCertificate } from './check-certificates.ts'
import { sinkKeys, type UndefinedName, undefinedNames } from './sinks/sink-keys.ts'
import { type Sink, sinksOf } from './sinks/sink-kinds.ts'
import { busKeys, gatewayKeys, sharedKeys } from './template-keys.ts'
import { authorityKeys, ingressKeys } from './tls.ts'
import { webProblems } from './web/web-keys.ts'

/** A reason why a template isn't applied. */
export type TemplateProblem = Extract<KeyReading, { kind: 'problem' }> | BadCertificate | UndefinedName

type Sources = Snapshot['sources']

export function gatewayProblems(gateway: LlmGateway, sources: Sources): readonly TemplateProblem[] {
  const certificates = [...badCertificate(ingressKeys(gateway), sources), ...badAuthorities(gateway, sources)]
  return [...keyProblems(gatewayKeys(gateway), sources), ...certificates]
}

export function busProblems(gateway: LlmGateway, sources: Sources): readonly TemplateProblem[] {
  return keyProblems(busKeys(gateway), sources)
}

export function sinkProblems(sink: Sink, gateway: LlmGateway, sources: Sources): readonly TemplateProblem[] {
  const keys = [...busKeys(gateway), ...sinkKeys(sink, gateway), ...authorityKeys(gateway)]
  return [...keyProblems(keys, sources), ...badAuthorities(gateway, sources), ...undefinedNames(sink)]
}

/** Finds all problems of a gateway's references, those of its own pods first. */
export function referenceProblems(gateway: LlmGateway, sources: Sources): readonly TemplateProblem[] {
  return [
    ...gatewayProblems(gateway, sources),
    ...sinksOf(gateway).flatMap((sink) => sinkProblems(sink, gateway, sources)),
    ...keyProblems(sharedKeys(gateway), sources),
    ...webProblems(gateway, sources),
  ]
}
