import type { PROCESSOR_REASONS, Processor } from '@llm-gateway/crds'
import type { Snapshot } from '../../snapshot.ts'
import type { Verdict } from '../set-condition.ts'
import { type KeyReading, keySourceOf, readKey } from '../variables/read-key.ts'
import { namedRouters } from './named-routers.ts'

export type ProcessorResolution = {
  readonly verdict: Verdict<(typeof PROCESSOR_REASONS.ResolvedRefs)[number]>
  /** Everything its pods' template refers to is there. */
  readonly templateResolved: boolean
}

/** Whether what a Processor refers to is there: the keys of its env, and every router path that it names. */
export function resolveProcessor(
  processor: Processor,
  paths: ReadonlySet<string>,
  sources: Snapshot['sources'],
): ProcessorResolution {
  const { namespace } = processor.metadata
  const failures = (processor.spec.env ?? []).flatMap((entry) => {
    const key = keySourceOf(entry, namespace)
    const reading = key === undefined ? undefined : readKey(key, sources)
    return reading?.kind === 'problem' ? [{ name: entry.name, ...reading }] : []
  })
  const failure = failures[0]
  const templateResolved = failure === undefined
  if (failure !== undefined) {
    const status = failures.every(({ reason }) => reason === 'ReadFailed') ? 'Unknown' : 'False'
    const message = `env ${failure.name}: ${failure.detail}.`
    return { verdict: { status, reason: reasonOf(failure), message }, templateResolved }
  }
  const missing = namedRouters(processor).filter(({ path }) => !paths.has(path))
  const first = missing[0]
  if (first === undefined) {
    const message = 'Everything that it refers to is there.'
    return { verdict: { status: 'True', reason: 'ResolvedRefs', message }, templateResolved }
  }
  const more = missing.length > 1 ? ` (and ${missing.length - 1} more)` : ''
  const message = `${first.field}: the gateway has no Router ${first.path}${more}.`
  return { verdict: { status: 'False', reason: 'RouterNotFound', message }, templateResolved }
}

/** A service account's token is refused everywhere; here it counts as not there. */
function reasonOf({ reason }: Problem): Exclude<Problem['reason'], 'RefNotPermitted'> {
  return reason === 'RefNotPermitted' ? 'SecretNotFound' : reason
}

type Problem = Extract<KeyReading, { kind: 'problem' }>
