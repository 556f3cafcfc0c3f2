import type { Observation, Snapshot } from '../snapshot.ts'
import type { ComposedConfig } from './compose-config.ts'
import { gatewayStatus } from './gateway/gateway-status.ts'
import type { GatewayVerdict } from './gateway/judge-gateway.ts'
import { gatewayUrl } from './names.ts'
import { callPointsKey } from './processors/processor-names.ts'
import { processorStatus } from './processors/processor-status.ts'
import type { TranslatedProcessors } from './processors/translate-processors.ts'
import type { Acceptance } from './routers/accept-routers.ts'
import { routerStatus } from './routers/router-status.ts'
import type { Statuses } from './translate.ts'

export type Judged = {
  readonly snapshot: Snapshot
  readonly verdict: GatewayVerdict
  readonly acceptances: readonly Acceptance[]
  readonly processors: TranslatedProcessors
  readonly composed: ComposedConfig
}

/** What is said of a gateway, its Routers and its Processors, once their pods were looked at. */
export function judgeAll(judged: Judged, observation: Observation): Statuses {
  const { snapshot, verdict, acceptances, composed } = judged
  const { gateway } = snapshot
  const { accepted } = verdict
  // Paused is no refusal: what runs goes on.
  const gatewayRefused = accepted.status !== 'True' && accepted.reason !== 'Paused'
  const routers = acceptances.map((acceptance) => {
    const { path } = acceptance.router.spec
    const holds = acceptance.reason === 'Accepted'
    const judgement = {
      acceptance,
      problems: holds ? (composed.problems.get(path) ?? []) : [],
      entryHash: holds ? composed.entries.get(path) : undefined,
      url: gatewayUrl(gateway.metadata),
      gatewayRefused,
    }
    return { router: acceptance.router, status: routerStatus(judgement, observation.pods, observation.now) }
  })
  const processors = judged.processors.judgements.map((judgement) => {
    const { processor } = judgement
    const entryHash = judged.processors.entries.get(callPointsKey(processor.metadata.name))
    return { processor, status: processorStatus(judgement, { gateway, entryHash, gatewayRefused }, observation) }
  })
  const objectNames = new Set(judged.processors.judgements.flatMap((one) => one.objectNames))
  const own = ofGateway(observation, objectNames)
  const statuses = routers.map(({ status }) => status)
  return {
    gateway: gatewayStatus({ gateway, verdict, digest: composed.digest, routers: statuses }, own),
    routers,
    processors,
  }
}

/** What is in the way of a Processor is told there. */
function ofGateway(observation: Observation, ofProcessors: ReadonlySet<string>): Observation {
  const { nameConflicts, applyFailures } = observation
  return {
    ...observation,
    nameConflicts: nameConflicts.filter((name) => !ofProcessors.has(name)),
    applyFailures: applyFailures.filter((failure) => !ofProcessors.has(failure.split(':')[0] ?? '')),
  }
}
