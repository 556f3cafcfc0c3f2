import type { PROCESSOR_REASONS, Processor } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import type { Verdict } from '../set-condition.ts'
import { keyProblems, processorKeys } from '../variables/read-key.ts'
import { distinctNames } from '../variables/split-references.ts'
import { namedRouters } from './named-routers.ts'

export type ProcessorResolution = {
  readonly verdict: Verdict<(typeof PROCESSOR_REASONS.ResolvedRefs)[number]>
  /** True when every reference of its pods' template exists. */
  readonly templateResolved: boolean
}

/** Checks the references of a Processor: the keys of its env, names in its settings, and router paths. */
export function resolveProcessor(
  processor: Processor,
  paths: ReadonlySet<string>,
  sources: Snapshot['sources'],
): ProcessorResolution {
  const failures = [...missingKeys(processor, sources), ...undefinedNames(processor)]
  const failure = failures[0]
  const templateResolved = failure === undefined
  if (failure !== undefined) {
    const status = failures.every(({ reason }) => reason === 'ReadFailed') ? 'Unknown' : 'False'
    return { verdict: { status, reason: failure.reason, message: `${failure.detail}.` }, templateResolved }
  }
  const missing = namedRouters(processor).filter(({ path }) => !paths.has(path))
  const first = missing[0]
  if (first === undefined) {
    const message = 'Every reference of this Processor exists.'
    return { verdict: { status: 'True', reason: 'ResolvedRefs', message }, templateResolved }
  }
  const more = missing.length > 1 ? ` (and ${missing.length - 1} more)` : ''
  const message = `${first.field}: the gateway has no Router ${first.path}${more}.`
  return { verdict: { status: 'False', reason: 'RouterNotFound', message }, templateResolved }
}

type Failure = {
  readonly reason: 'SecretNotFound' | 'ConfigMapNotFound' | 'KeyNotFound' | 'ReadFailed'
  readonly detail: string
}

function missingKeys(processor: Processor, sources: Snapshot['sources']): readonly Failure[] {
  return keyProblems(processorKeys(processor), sources).map(({ reason, detail }) => {
    // A service account's token is refused everywhere; here it counts as missing.
    const reported = reason === 'RefNotPermitted' ? 'SecretNotFound' : reason
    return { reason: reported, detail }
  })
}

/** Finds names that settings use and env lacks: a shipped program would start with empty texts, or with NATS_TOKEN. */
function undefinedNames({ spec }: Processor): readonly Failure[] {
  const { tokenizer, mock, regex, broker, nlpEntities, contentFilter, tokenCounter } = spec
  const defined = new Set((spec.env ?? []).map(({ name }) => name))
  const used = distinctNames([tokenizer, mock, regex, broker, nlpEntities, contentFilter, tokenCounter])
  return [...used]
    .filter((name) => !defined.has(name))
    .map((name) => ({ reason: 'KeyNotFound', detail: `The settings refer to ${name}, which env does not define` }))
}
