import type { Condition, RejectedField, Router, RouterStatus } from '@llm-gateway/crds'
import type { ObservedPod } from '../../model/snapshot.ts'
import { judgePods } from '../judge-pods.ts'
import { observedGeneration } from '../observed-generation.ts'
import type { Problem } from '../problem.ts'
import { type ConditionFrame, conditionOf, frameOf, shortened, type Verdict } from '../set-condition.ts'
import { unreadableVerdict } from '../unreadable.ts'
import { MAX_ENTRY_CHARACTERS } from '../variables/resolve-field.ts'
import type { Acceptance } from './accept-routers.ts'
import { type EntryLimit, MAX_REFERENCES } from './build-entry.ts'
import { MOST_KEPT_CHARACTERS } from './no-room.ts'

const MAX_REJECTED_FIELDS = 16

const FULL = 'The configuration of the gateway is full: the newest Routers stay out.'
const STAYS =
  'The call points of the Processors alone have no room, so the configuration stays as it was before this Router.'
const KEEPS = 'The gateway keeps the configuration that it had before.'
const READING = 'Secrets and ConfigMaps of this Router are still being read.'
const TOO_LARGE: Readonly<Record<EntryLimit, string>> = {
  characters: `This Router and its values have more than ${MAX_ENTRY_CHARACTERS} characters.`,
  references: `This Router has more than ${MAX_REFERENCES} references to variables.`,
  room: `The Routers of this namespace have more than ${MOST_KEPT_CHARACTERS} characters: delete some, then change this Router again.`,
}

export type RouterJudgement = {
  readonly acceptance: Acceptance
  readonly problems: readonly Problem[]
  /** Sources that couldn't be read this time; the last entry stays in use. */
  readonly readFailures: readonly Problem[]
  /** True while the entry isn't the one of this generation, which needs sources that can't be read. */
  readonly older: boolean
  /** The limit that a Router exceeds; its references weren't evaluated. */
  readonly tooLarge: EntryLimit | undefined
  /** True for a valid Router that stays out because the configuration is full. */
  readonly crowdedOut: boolean
  /** False where not even a file without Routers fits: the file in use stays. */
  readonly fits: boolean
  /** The hash of its entry in the new configuration; undefined: it has no entry. */
  readonly entryHash: string | undefined
  /** True while a Secret or ConfigMap of the Router is still being read. */
  readonly pending: boolean
  /** The required Processor that could not be read and that its calls could bypass. */
  readonly waitsFor: string | undefined
  /** Returns whether a pod was given that entry and rejects it. */
  readonly rejects: (pod: ObservedPod) => boolean
  /** The address of the gateway. */
  readonly url: string
  /** The verdict to give while the gateway isn't accepted, since nothing was evaluated then. */
  readonly unjudged: Verdict | undefined
  /** True when the gateway is paused: pods won't get an entry that they lack. */
  readonly paused: boolean
}

export function routerStatus(judgement: RouterJudgement, pods: readonly ObservedPod[], now: string): RouterStatus {
  const { acceptance, problems, unjudged, pending } = judgement
  const { router, reason, message } = acceptance
  // The last entry stays in use, and so does what was said about it.
  if (pending && unjudged === undefined && isJudged(router)) return router.status
  const frame = frameOf(router, now)
  const unreadable = unreadableVerdict(router)
  const judged = { status: reason === 'Accepted' ? 'True' : 'False', reason, message } as const
  const accepted = unreadable ?? unjudged ?? judged
  const holds = accepted.status === 'True'
  const resolved = resolvedVerdict(judgement, holds)
  const programmed = programmedVerdict(judgement, [accepted, resolved], { pods, frame })
  const ready = routerReady(resolved, programmed)
  return {
    ...(holds || (unreadable !== undefined && reason === 'Accepted')
      ? { url: `${judgement.url}${router.spec.path}` }
      : {}),
    ...observedGeneration({
      generation: frame.generation,
      ready,
      programmed,
      whole: true,
    }),
    rejectedFields: holds && !pending ? problems.slice(0, MAX_REJECTED_FIELDS).map(rejected) : [],
    conditions: [
      conditionOf('Accepted', accepted, frame),
      conditionOf('ResolvedRefs', resolved, frame),
      conditionOf('Programmed', programmed, frame),
      conditionOf('Ready', ready, frame),
    ],
  }
}

/** Returns whether this generation of a Router was judged before, with all of its sources. */
function isJudged(router: Router): boolean {
  const { previous = [], generation } = frameOf(router, '')
  const reasonOf = (condition: string) =>
    previous.find(({ type, observedGeneration }) => type === condition && observedGeneration === generation)?.reason
  const reason = reasonOf('Programmed')
  const wasPending = reason === 'Pending' && reasonOf('ResolvedRefs') === 'NotEvaluated'
  return reason !== undefined && !wasPending
}

/** Returns whether this generation of a Router was translated before, with all of its sources. */
export function isTranslated(router: Router): boolean {
  const programmed = router.status.conditions?.find(({ type }) => type === 'Programmed')
  return isJudged(router) && programmed?.reason !== 'ReadFailed'
}

/** Programmed names the first obstacle. A Router that serves with its last values may have another in ResolvedRefs. */
export function routerReady(resolved: Verdict, programmed: Verdict): Verdict {
  const blocking = [programmed, resolved].find(({ status }) => status !== 'True')
  if (blocking === undefined)
    return { status: 'True', reason: 'Ready', message: 'Every ready gateway pod serves this Router.' }
  return blocking.reason === 'Pending' ? { ...blocking, status: 'Unknown' } : blocking
}

function resolvedVerdict({ problems, readFailures, tooLarge, pending }: RouterJudgement, holds: boolean): Verdict {
  if (!holds || tooLarge !== undefined) {
    const message = `References of a Router that is ${holds ? 'too large' : 'not accepted'} are not read.`
    return { status: 'Unknown', reason: 'NotEvaluated', message }
  }
  if (pending) return { status: 'Unknown', reason: 'NotEvaluated', message: READING }
  const named = problems.length > 0 ? problems : readFailures
  const first = named[0]
  if (first === undefined) return { status: 'True', reason: 'ResolvedRefs', message: 'Every reference has a value.' }
  const more = named.length > 1 ? ` (and ${named.length - 1} more)` : ''
  const status = named.every(({ reason }) => reason === 'ReadFailed') ? 'Unknown' : 'False'
  return { status, reason: first.reason, message: `${first.field}: ${first.detail}${more}.` }
}

type ObservedFrame = { readonly pods: readonly ObservedPod[]; readonly frame: ConditionFrame }

/** Returns the verdict of Programmed, the first obstacle. A failed read is none for the generation that is in use. */
function programmedVerdict(
  judgement: RouterJudgement,
  causes: readonly Verdict[],
  { pods, frame }: ObservedFrame,
): Verdict {
  const {
    acceptance,
    problems,
    readFailures,
    older,
    tooLarge,
    crowdedOut,
    waitsFor,
    fits,
    entryHash,
    rejects,
    paused,
  } = judgement
  if (tooLarge !== undefined && judgement.unjudged === undefined)
    return { status: 'False', reason: 'CapacityExceeded', message: TOO_LARGE[tooLarge] }
  if (judgement.pending && causes[0]?.status === 'True') return { status: 'False', reason: 'Pending', message: READING }
  const worksAsBefore = problems.length === 0 && readFailures.length > 0 && !older
  const blocking = causes.find(({ status, reason }) => status !== 'True' && !(worksAsBefore && reason === 'ReadFailed'))
  if (blocking !== undefined)
    return older && blocking.reason === 'ReadFailed'
      ? { ...blocking, message: `${blocking.message} ${KEEPS}` }
      : blocking
  if (waitsFor !== undefined) return { status: 'False', reason: 'Pending', message: waitingText(waitsFor) }
  if (crowdedOut) return { status: 'False', reason: 'CapacityExceeded', message: FULL }
  const { path } = acceptance.router.spec
  const has = ({ report }: ObservedPod): boolean | undefined =>
    report.kind === 'reported' && report.entries !== undefined ? report.entries.get(path) === entryHash : undefined
  const judged = judgePods({ pods, part: 'this Router', has, rejects, wasProgrammed: isProgrammed(frame), paused })
  return fits || judged.status === 'True' ? judged : { status: 'False', reason: 'CapacityExceeded', message: STAYS }
}

function waitingText(processor: string): string {
  const why = `It waits for the required Processor ${processor}, which this version of the operator can not read`
  return `${why}: correct that Processor or upgrade the operator. Until then calls could bypass it.`
}

function isProgrammed({ previous, generation }: ConditionFrame): boolean {
  const isOfThis = ({ type, status, observedGeneration }: Condition) =>
    type === 'Programmed' && status === 'True' && observedGeneration === generation
  return previous?.some(isOfThis) === true
}

function rejected({ field, reason, detail }: Problem): RejectedField {
  const required = reason === 'VariableNotFound' || reason === 'EmptyValue' ? 'required: ' : ''
  return { field: shortened(field), reason: shortened(`${required}${detail}`) }
}
