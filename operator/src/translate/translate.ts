import type { LlmGatewayStatus, Router, RouterStatus } from '@llm-gateway/crds'
import type { Observation, Snapshot } from '../snapshot.ts'
import { type ComposedConfig, composeConfig } from './compose-config.ts'
import { gatewaySettings, maskedHeaders } from './gateway/gateway-settings.ts'
import { gatewayStatus } from './gateway/gateway-status.ts'
import { type GatewayVerdict, judgeGateway } from './gateway/judge-gateway.ts'
import type { KubeObject } from './kube-object.ts'
import { gatewayUrl } from './names.ts'
import { busObjects } from './objects/bus-objects.ts'
import { gatewayObjects } from './objects/gateway-objects.ts'
import { type Acceptance, acceptRouters } from './routers/accept-routers.ts'
import { buildEntry } from './routers/build-entry.ts'
import { routerStatus } from './routers/router-status.ts'

/** Everything that is to be made for a gateway. */
export type Translation = {
  readonly glConfig: string
  /** `sha256:<hex>` of glConfig. */
  readonly digest: string
  /** `V_…` → text. */
  readonly values: ReadonlyMap<string, string>
  /** Router path → hash of its entry. */
  readonly entries: ReadonlyMap<string, string>
  /** To be applied in this order, after configuration and values. */
  readonly objects: readonly KubeObject[]
  /** Nothing is written: the gateway is paused or refused. */
  readonly frozen: boolean
  /** A template with an unresolved reference is never applied: what runs stays. */
  readonly templateResolved: boolean
  /** Keys of the Secrets and ConfigMaps it depends on. */
  readonly sources: ReadonlySet<string>
  statuses(observation: Observation): Statuses
}

export type Statuses = {
  readonly gateway: LlmGatewayStatus
  readonly routers: readonly { readonly router: Router; readonly status: RouterStatus }[]
}

/** Snapshot → what is to be made and said; pure, everything sorted (kubernetes). */
export function translate(snapshot: Snapshot): Translation {
  const { gateway } = snapshot
  const verdict = judgeGateway(snapshot)
  const masked = new Set(maskedHeaders(gateway).map((name) => name.toLowerCase()))
  const acceptances = acceptRouters(snapshot)
  const holding = acceptances.filter(({ reason }) => reason === 'Accepted').map(({ router }) => router)
  const built = holding.map((router) => buildEntry(router, snapshot, masked))
  const composed = composeConfig(gatewaySettings(gateway), built)
  const image = gateway.spec.image === '' ? snapshot.defaultImage : gateway.spec.image
  const objects = verdict.templateResolved ? [...busObjects(gateway, image), ...gatewayObjects(gateway, image)] : []
  return {
    glConfig: composed.text,
    digest: composed.digest,
    values: composed.values,
    entries: composed.entries,
    objects,
    frozen: verdict.accepted.status !== 'True',
    templateResolved: verdict.templateResolved,
    sources: new Set([...verdict.sources, ...built.flatMap(({ sources }) => sources)]),
    statuses: (observation) => judgeAll({ snapshot, verdict, acceptances, composed }, observation),
  }
}

type Judged = {
  readonly snapshot: Snapshot
  readonly verdict: GatewayVerdict
  readonly acceptances: readonly Acceptance[]
  readonly composed: ComposedConfig
}

function judgeAll({ snapshot, verdict, acceptances, composed }: Judged, observation: Observation): Statuses {
  const { gateway } = snapshot
  const { accepted } = verdict
  const routers = acceptances.map((acceptance) => {
    const { path } = acceptance.router.spec
    const holds = acceptance.reason === 'Accepted'
    const judgement = {
      acceptance,
      problems: holds ? (composed.problems.get(path) ?? []) : [],
      entryHash: holds ? composed.entries.get(path) : undefined,
      url: gatewayUrl(gateway.metadata),
      // Paused is no refusal: what runs goes on.
      gatewayRefused: accepted.status !== 'True' && accepted.reason !== 'Paused',
    }
    return { router: acceptance.router, status: routerStatus(judgement, observation.pods, observation.now) }
  })
  const statuses = routers.map(({ status }) => status)
  return {
    gateway: gatewayStatus({ gateway, verdict, digest: composed.digest, routers: statuses }, observation),
    routers,
  }
}
