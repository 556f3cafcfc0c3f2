import type { LlmGateway, ProcessorStatus } from '@llm-gateway/crds'
import { PROCESSOR_LABEL } from '../../model/kube-object.ts'
import type { Observation, ObservedPod, ObservedProcessor, PodFailure } from '../../model/snapshot.ts'
import { failureText, type ObjectName, objectText } from '../../model/snapshot.ts'
import { isServing, judgePods, unreadyCause } from '../judge-pods.ts'
import { observedGeneration, readyFrame } from '../observed-generation.ts'
import { type ConditionFrame, conditionOf, frameOf, type Verdict } from '../set-condition.ts'
import { unreadableVerdict } from '../unreadable.ts'
import type { ProcessorJudgement } from './kept-processor.ts'
import { callPointsKey, liveSubject } from './processor-names.ts'

export type ProcessorStatusInputs = {
  readonly gateway: LlmGateway
  /** The hash of its call points in the new configuration; undefined: it has none there. */
  readonly entryHash: string | undefined
  /** The verdict to give while the gateway isn't accepted, since nothing is made for the Processor then. */
  readonly unjudged: Verdict | undefined
  /** True when the gateway is paused: pods won't get a part that they lack. */
  readonly paused: boolean
}

export function processorStatus(
  judgement: ProcessorJudgement,
  parts: ProcessorStatusInputs,
  observation: Observation,
): ProcessorStatus {
  const { processor, resolution } = judgement
  const { metadata } = processor
  const observed = observation.processors.get(metadata.name)
  const frame = frameOf(processor, observation.now)
  const accepted = acceptedVerdict(judgement, parts)
  const blocking = [accepted, resolution.verdict].find((verdict) => verdict.status !== 'True')
  const programmed =
    blocking === undefined
      ? programmedVerdict(judgement, parts, { observation, frame })
      : {
          ...blocking,
          message: `${blocking.message}${judgement.kept && blocking.reason !== 'Unreadable' ? STAYS : ''}`,
        }
  const ready = readyVerdict(judgement, { blocking, observed, observation })
  const carriedOut = observedGeneration({
    generation: frame.generation,
    ready,
    programmed,
    whole: observed?.rolledOut === true,
  })
  return {
    ...carriedOut,
    subject: liveSubject(processor, parts.gateway),
    replicas: observed?.deployment?.replicas ?? 0,
    readyReplicas: observed?.deployment?.readyReplicas ?? 0,
    selector: `${PROCESSOR_LABEL}=${metadata.name}`,
    conditions: [
      conditionOf('Accepted', accepted, frame),
      conditionOf('ResolvedRefs', resolution.verdict, frame),
      // kubectl shows the first condition that isn't True: an image that can't be pulled comes before waiting for pods.
      conditionOf('Ready', ready, { ...readyFrame(frame, ready, carriedOut), rewords: true }),
      conditionOf('Programmed', programmed, frame),
    ],
  }
}

/** The call points of a required Processor stay in use, since calls would bypass it without them. */
const STAYS = ' The call points in use stay.'

function acceptedVerdict({ acceptance }: ProcessorJudgement, { unjudged }: ProcessorStatusInputs): Verdict {
  const instead = unreadableVerdict(acceptance.processor) ?? unjudged
  if (instead !== undefined) return instead
  const { reason, message } = acceptance
  return { status: reason === 'Accepted' ? 'True' : 'False', reason, message }
}

type ObservedFrame = { readonly observation: Observation; readonly frame: ConditionFrame }

function programmedVerdict(
  { processor, waiting, kept }: ProcessorJudgement,
  { entryHash, paused }: ProcessorStatusInputs,
  { observation: { pods }, frame }: ObservedFrame,
): Verdict {
  if (waiting) {
    const message = `The gateway calls a required Processor only after its pods were available once.${kept ? STAYS : ''}`
    return { status: 'False', reason: 'WaitingForReady', message }
  }
  const before = frame.previous?.find(({ type }) => type === 'Programmed')
  const key = callPointsKey(processor.metadata.name)
  return judgePods({
    pods,
    part: 'the call points of this Processor',
    has: ({ report }: ObservedPod) =>
      report.kind === 'reported' && report.entries !== undefined ? report.entries.get(key) === entryHash : undefined,
    wasProgrammed: before?.status === 'True' && before.observedGeneration === frame.generation,
    paused,
  })
}

type ReadyInputs = {
  readonly blocking: Verdict | undefined
  readonly observed: ObservedProcessor | undefined
  readonly observation: Observation
}

function readyVerdict({ processor, objectNames }: ProcessorJudgement, inputs: ReadyInputs): Verdict {
  const { blocking, observed, observation } = inputs
  const unavailable = (message: string): Verdict => ({ status: 'False', reason: 'DeploymentUnavailable', message })
  const isOwn = ({ kind, name }: ObjectName) => objectNames.some((own) => own.kind === kind && own.name === name)
  const taken = observation.nameConflicts.find(isOwn)
  if (taken !== undefined) return unavailable(`${objectText(taken)} exists already, and this operator did not make it.`)
  const refused = observation.applyFailures.find(isOwn)
  if (refused !== undefined) return unavailable(`The API server refused a change of ${failureText(refused)}.`)
  const deployment = observed?.deployment
  if (deployment === undefined) {
    if (blocking?.status === 'False') return unavailable(`This Processor has no Deployment: ${blocking.reason}.`)
    return {
      status: 'Unknown',
      reason: 'NotObserved',
      message: 'The operator has not seen the Deployment of this Processor yet.',
    }
  }
  if (processor.spec.replicas === 0) return unavailable('This Processor has replicas: 0.')
  const why = unreadyCause(observed?.failure, deployment)
  if (isServing(deployment)) {
    // Old pods serve while a new pod doesn't start.
    const message = `The pods of this Processor are subscribed on the bus.${why === undefined ? '' : ` ${why}`}`
    return { status: 'True', reason: 'Ready', message }
  }
  if (why !== undefined) return { status: 'False', reason: reasonOf(observed?.failure), message: why }
  if (isBusAway(observation.pods)) {
    const message =
      'No pod of this Processor is subscribed on the bus, and a gateway pod is not connected to it either.'
    return { status: 'False', reason: 'BusUnavailable', message }
  }
  return unavailable('No pod of this Processor is subscribed on the bus.')
}

function reasonOf(failure: PodFailure | undefined): string {
  if (failure === 'image') return 'ImagePullFailed'
  return failure === 'crash' ? 'CrashLooping' : 'DeploymentUnavailable'
}

function isBusAway(pods: readonly ObservedPod[]): boolean {
  return pods.some(({ ready, report }) => ready && report.kind === 'reported' && !report.busConnected)
}
