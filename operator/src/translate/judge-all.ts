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
import type { Steps } from './steps.ts'

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
  /** Paths of Routers with sources that are still being read. */
  readonly pending: ReadonlySet<string>
  /** Paths of Routers with entries of another generation, since their sources can't be read. */
  readonly older: ReadonlySet<string>
  readonly processors: TranslatedProcessors
  readonly composed: ComposedConfig
  readonly withheld: readonly ObjectHead[]
}

/**
 * Makes the statuses of a gateway, its Routers and its Processors from the observation of their pods, a Router, Processor
 * or pod in each step.
 */
export function* judgeAll(judged: JudgementInputs, observation: Observation): Steps<Statuses> {
  const { snapshot, verdict, composed } = judged
  const { gateway } = snapshot
  const objectNames = new Set(
    judged.processors.judgements.flatMap((judgement) => judgement.objectNames).map(objectText),
  )
  const own = ofGateway(gateway, observation, objectNames)
  const accepted = withNameConflicts(verdict.accepted, own)
  const frame = { unjudged: unjudgedVerdict(accepted), paused: accepted.reason === 'Paused' }
  const routers = yield* judgeRouters(judged, frame, observation)
  const processors = yield* judgeProcessors(judged, frame, observation)
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
        routers: routers.map(({ status }) => status),
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

/** The parts of a gateway's verdict that its Routers and Processors share. */
type SharedVerdict = { readonly unjudged: Verdict | undefined; readonly paused: boolean }

function* judgeRouters(
  { snapshot: { gateway }, acceptances, pending, older, composed, processors }: JudgementInputs,
  shared: SharedVerdict,
  { pods, now }: Observation,
): Steps<Statuses['routers']> {
  const paths = [...composed.entries.keys()].sort()
  const rejections = new Map<ObservedPod, ReadonlySet<string>>()
  for (const pod of pods) {
    if (pod.ready) rejections.set(pod, rejectedPaths(pod, { digest: composed.digest, paths }))
    yield
  }
  const routers: Statuses['routers'][number][] = []
  for (const acceptance of acceptances) {
    const { path } = acceptance.router.spec
    const holds = acceptance.reason === 'Accepted'
    const judgement = {
      acceptance,
      problems: holds ? (composed.problems.get(path) ?? []) : [],
      readFailures: holds ? (composed.readFailures.get(path) ?? []) : [],
      tooLarge: holds ? composed.tooLarge.get(path) : undefined,
      crowdedOut: holds && composed.crowdedOut.has(path),
      fits: composed.text !== '',
      entryHash: holds ? composed.entries.get(path) : undefined,
      pending: holds && pending.has(path),
      older: holds && older.has(path),
      waitsFor: holds ? processors.heldBack.get(path) : undefined,
      rejects: (pod: ObservedPod) => rejections.get(pod)?.has(path) === true,
      url: gatewayUrl(gateway),
      ...shared,
    }
    routers.push({ router: acceptance.router, status: routerStatus(judgement, pods, now) })
    yield
  }
  return routers
}

function* judgeProcessors(
  { snapshot: { gateway }, processors: { judgements, entries } }: JudgementInputs,
  shared: SharedVerdict,
  observation: Observation,
): Steps<Statuses['processors']> {
  const processors: Statuses['processors'][number][] = []
  for (const judgement of judgements) {
    const { processor } = judgement
    const entryHash = entries.get(callPointsKey(processor.metadata.name))
    processors.push({ processor, status: processorStatus(judgement, { gateway, entryHash, ...shared }, observation) })
    yield
  }
  return processors
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
