import type { Snapshot } from '../../model/snapshot.ts'
import { allKeys } from '../objects/template-keys.ts'
import { listProblems, type TemplateProblems } from '../objects/template-problems.ts'
import type { Verdict } from '../set-condition.ts'
import { sourceOf } from '../variables/read-key.ts'
import { acceptGateway, claimsOf, type GatewayClaims } from './accept-gateway.ts'

/** The verdicts on a gateway before anything is made for it. */
export type GatewayVerdict = {
  readonly accepted: Verdict
  readonly claims: GatewayClaims
  readonly resolved: Verdict
  readonly sources: readonly string[]
}

/** Judges a gateway. `settings` is its part of gl_config.json, `problems` are those of its references. */
export function judgeGateway(snapshot: Snapshot, settings: object, problems: TemplateProblems): GatewayVerdict {
  return {
    accepted: acceptGateway({ ...snapshot, settings }),
    claims: claimsOf(snapshot),
    resolved: resolvedVerdict(problems),
    sources: allKeys(snapshot.gateway).map(sourceOf),
  }
}

/** Reports a fault that people can repair before a source that couldn't be read. */
function resolvedVerdict(problems: TemplateProblems): Verdict {
  const faults = listProblems(problems)
  const first = faults.find(({ reason }) => reason !== 'ReadFailed') ?? faults[0]
  if (first === undefined) return { status: 'True', reason: 'ResolvedRefs', message: 'Every reference exists.' }
  const message = `${first.detail}.`
  switch (first.reason) {
    case 'ReadFailed':
      return { status: 'Unknown', reason: first.reason, message }
    case 'RefNotPermitted':
      // The token of a service account counts as missing (docs/reference/kubernetes.md#trust).
      return { status: 'False', reason: 'SecretNotFound', message }
    default:
      return { status: 'False', reason: first.reason, message }
  }
}
