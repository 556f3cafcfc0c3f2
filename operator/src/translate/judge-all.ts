import type { LlmGateway, LlmGatewayStatus, Processor, ProcessorStatus, Router, RouterStatus } from '@llm-gateway/crds'
import type { ObjectHead } from '../model/kube-object.ts'
import { gatewayUrl, namesOf } from '../model/names.ts'
import type { Observation, ObservedPod, Snapshot } from '../model/snapshot.ts'
import { type ObjectName, objectText } from '../model/snapshot.ts'
import type { ComposedConfig } from './compose-config.ts'
import { isServed } from './gateway/accept-gateway.ts'
import { gatewayStatus } from './gateway/gateway-status.ts'
import type { GatewayVerdict } from './gateway/judge-gateway.ts'
import { type UnavailableReason, unavailableReason } from './gateway/ready-verdict.ts'
import { isOfWeb, webTrouble } from './gateway/unavailable-workloads.ts'
import { callPointsKey } from './processors/processor-names.ts'
import { processorStatus } from './processors/processor-status.ts'
import type { TranslatedProcessors } from './processors/translate-processors.ts'
import type { Acceptance } from './routers/accept-routers.ts'
import { routerStatus } from './routers/router-status.ts'
import type { Verdict } from './set-condition.ts'

export type Statuses = {
  readonly gateway: LlmGatewayStatus
  /** The reason of the event about a sink or web interface that a serving gateway lacks. */
  readonly lack?: UnavailableReason | undefined
  readonly routers: readonly { readonly router: Router; readonly status: RouterStatus }[]
  readonly processors: readonly { readonly processor: Processor; readonly status: ProcessorStatus }[]
}

export type JudgementInputs = {
  readonly snapshot: Snapshot
  readonly verdict: GatewayVerdict
  readonly acceptances: readonly Acceptance[]
  readonly processors: TranslatedProcessors
  readonly composed: ComposedConfig
  readonly withheld: readonly ObjectHead[]
}

/** Makes the statuses of a gateway, its Routers and its Processors from the observation of their pods. */
export function judgeAll(judged: JudgementInputs, observation: Observation): Statuses {
  const { snapshot, verdict, acceptances, composed } = judged
  const { gateway } = snapshot
  const objectNames = new Set(
    judged.processors.judgements.flatMap((judgement) => judgement.objectNames).map(objectText),
  )
  const own = ofGateway(gateway, observation, objectNames)
  const accepted = withNameConflicts(verdict.accepted, own)
  const unjudged = unjudgedVerdict(accepted)
  const paused = accepted.reason === 'Paused'
  const paths = [...composed.entries.keys()].sort()
  const rejections = new Map(
    observation.pods
      .filter(({ ready }) => ready)
      .map((pod) => [pod, rejectedPaths(pod, { digest: composed.digest, paths })]),
  )
  const routers = acceptances.map((acceptance) => {
    const { path } = acceptance.router.spec
    const holds = acceptance.reason === 'Accepted'
    const judgement = {
      acceptance,
      problems: holds ? (composed.problems.get(path) ?? []) : [],
      readFailures: holds ? (composed.readFailures.get(path) ?? []) : [],
      tooLarge: holds ? composed.tooLarge.get(path) : undefined,
      crowdedOut: holds && composed.crowdedOut.has(path),
      entryHash: holds ? composed.entries.get(path) : undefined,
      rejects: (pod: ObservedPod) => rejections.get(pod)?.has(path) === true,
      url: gatewayUrl(gateway),
      unjudged,
      paused,
    }
    return { router: acceptance.router, status: routerStatus(judgement, observation.pods, observation.now) }
  })
  const processors = judged.processors.judgements.map((judgement) => {
    const { processor } = judgement
    const entryHash = judged.processors.entries.get(callPointsKey(processor.metadata.name))
    return {
      processor,
      status: processorStatus(judgement, { gateway, entryHash, unjudged, paused }, observation),
    }
  })
  const statuses = routers.map(({ status }) => status)
  const trouble = webTrouble(gateway, observation)
  return {
    lack: unavailableReason({ ...own, webTrouble: trouble }),
    gateway: gatewayStatus(
      {
        gateway,
        operator: snapshot.lease,
        accepted,
        claims: verdict.claims,
        resolved: verdict.resolved,
        digest: composed.digest,
        fits: composed.text !== '',
        routers: statuses,
        crowdedOut: composed.crowdedOut.size,
        webTrouble: trouble,
        withheld: judged.withheld.some(({ metadata }) => metadata.name === namesOf(gateway.metadata).gateway),
      },
      own,
    ),
    routers,
    processors,
  }
}

function withNameConflicts(accepted: Verdict, { nameConflicts }: Observation): Verdict {
  if (accepted.status !== 'True' || nameConflicts.length === 0) return accepted
  const shown = nameConflicts.slice(0, 16).map(objectText).join(', ')
  const message = `These objects exist already, and this operator did not make them: ${shown}.`
  return { status: 'False', reason: 'NameConflict', message }
}

/**
 * Returns the verdict on Routers while their gateway isn't accepted. A paused gateway isn't refused: its pods go on.
 */
function unjudgedVerdict(accepted: Verdict): Verdict | undefined {
  const { reason } = accepted
  if (isServed(accepted) || reason === 'Paused') return undefined
  if (reason === 'Pending') return { status: 'Unknown', reason, message: 'The LLMGateway is being deleted.' }
  return { status: 'Unknown', reason: 'GatewayNotAccepted', message: 'The LLMGateway is not accepted.' }
}

/**
 * Leaves out problems of Processors, which have statuses of their own, and of the web interface, which no call needs.
 */
function ofGateway(gateway: LlmGateway, observation: Observation, ofProcessors: ReadonlySet<string>): Observation {
  const isOwn = (object: ObjectName) => !ofProcessors.has(objectText(object)) && !isOfWeb(gateway, object)
  const { nameConflicts, applyFailures } = observation
  return {
    ...observation,
    nameConflicts: nameConflicts.filter(isOwn),
    applyFailures: applyFailures.filter(isOwn),
  }
}

/** Returns the paths that a pod rejects or lacks; `paths` are the file's routers in their order. */
function rejectedPaths(
  { report }: ObservedPod,
  { digest, paths }: { readonly digest: string; readonly paths: readonly string[] },
): ReadonlySet<string> {
  // The pod names routers by their index in its file. Indexes of another file are unknown.
  if (report.kind !== 'reported' || report.digest !== digest) return new Set()
  const named = (report.rejectedRouters ?? []).map((index) => paths[index])
  const { entries } = report
  const missing = entries === undefined ? [] : paths.filter((path) => !entries.has(path))
  return new Set([...named.filter((path) => path !== undefined), ...missing])
}
