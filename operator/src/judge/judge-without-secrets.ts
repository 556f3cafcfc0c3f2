import type { Condition, LlmGateway, Processor, Router, RouterStatus } from '@llm-gateway/crds'
import { keyOf } from '@llm-gateway/kube'
import type { Snapshot, Source } from '../model/snapshot.ts'
import { allKeys } from '../translate/objects/template-keys.ts'
import type { EntryMemory } from '../translate/routers/entry-memory.ts'
import { processorKeys, routerSources, sourceOf } from '../translate/variables/read-key.ts'
import { namesIn } from '../translate/variables/split-references.ts'
import { judgeSnapshot, running } from './judge-snapshot.ts'
import { variablesOf } from './variables-of.ts'

/** A gateway with what names it, as far as somebody knows them who may read no Secret and no Namespace. */
export type JudgedResources = {
  readonly gateway: LlmGateway
  readonly routers: readonly Router[]
  readonly processors: readonly Processor[]
  /** Namespaces that the operator lets attach Routers: their labels can't be read, so that selectors are taken to fit. */
  readonly namespaces: readonly string[]
}

/** Resources by `namespace/name` → what the operator would say; keys of Secrets and ConfigMaps are `KnownAfterApply`. */
export type BlindJudgement = {
  /** Without values: they are `${V_…}`. */
  readonly glConfig: string
  readonly gateway: BlindStatus
  readonly routers: ReadonlyMap<string, BlindStatus>
  readonly processors: ReadonlyMap<string, BlindStatus>
}
export type BlindStatus = Pick<RouterStatus, 'rejectedFields'> & { readonly conditions: readonly Condition[] }

/**
 * What stands for every value: it is an address and it may be a header, so that nothing is refused for its form. It never
 * leaves: the file holds names of values.
 */
const STAND_IN = 'https://known-after-apply.invalid/'
const KNOWN_AFTER_APPLY = 'KnownAfterApply'
/** What may be said of an address that isn't known, and what of keys because of it. */
const OF_ADDRESS: ReadonlySet<string> = new Set(['HostNotAllowed', 'InvalidUrl'])

/** Judges as the operator does, without looking into a Secret or ConfigMap. `memory` only spares work. */
export function judgeWithoutSecrets(resources: JudgedResources, now: string, memory?: EntryMemory): BlindJudgement {
  const snapshot = snapshotWithoutSecrets(resources)
  const { translation, statuses } = judgeSnapshot(snapshot, now, memory)
  const routers = statuses.routers.map(
    ({ router, status }) => [keyOf(router.metadata), blindRouter(router, status, snapshot)] as const,
  )
  const processors = statuses.processors.map(
    ({ processor, status }) => [keyOf(processor.metadata), blind(status)] as const,
  )
  return {
    glConfig: translation.glConfig,
    gateway: blind(statuses.gateway),
    routers: new Map(routers),
    processors: new Map(processors),
  }
}

/** The snapshot that is judged: every key could not be read, and every value has a stand-in. */
export function snapshotWithoutSecrets({ gateway, routers, processors, namespaces }: JudgedResources): Snapshot {
  const unread: Source = { kind: 'failed' }
  const keys = [...allKeys(gateway), ...routers.flatMap(routerSources), ...processors.flatMap(processorKeys)]
  return {
    gateway: withAdmitted(gateway, namespaces),
    otherGateways: [],
    routers,
    processors,
    processorDeployments: new Map(
      processors.map(({ metadata: { name }, spec: { replicas } }) => [name, running(replicas)]),
    ),
    liveCallPoints: [],
    namespaces: new Map(namespaces.map((name) => [name, { [NAME_LABEL]: name }])),
    sources: new Map(keys.map((key) => [sourceOf(key), unread])),
    liveValues: { get: () => STAND_IN },
    defaultImage: '',
    operatorNamespace: '',
  }
}

/** The API server puts it on every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name'

/** Selectors of labels → selectors of the names that the operator let in. */
function withAdmitted(gateway: LlmGateway, names: readonly string[]): LlmGateway {
  const { allowedRouters, sharedEnv } = gateway.spec
  const values = [...names]
  const byName = { matchExpressions: [{ key: NAME_LABEL, operator: 'In' as const, values }] }
  const named = <T extends { readonly from: string }>(one: T): T =>
    one.from === 'Selector' ? { ...one, selector: byName } : one
  return {
    ...gateway,
    spec: {
      ...gateway.spec,
      allowedRouters: { ...allowedRouters, namespaces: named(allowedRouters.namespaces) },
      ...(sharedEnv === undefined
        ? {}
        : { sharedEnv: sharedEnv.map((entry) => ({ ...entry, namespaces: named(entry.namespaces) })) }),
    },
  }
}

function blind({ conditions = [] }: { readonly conditions?: readonly Condition[] | undefined }): BlindStatus {
  return { conditions: conditions.map((one) => (one.reason === 'ReadFailed' ? unknown(one) : one)) }
}

function blindRouter(router: Router, status: RouterStatus, snapshot: Snapshot): BlindStatus {
  const { conditions } = blind(status)
  const variables = variablesOf(router, snapshot)
  const inAddress = new Set(namesIn(router.spec.outbound.url))
  const addressUnknown = variables.some(({ name, fromKey }) => fromKey && inAddress.has(name))
  const allPermitted = variables.every(({ state }) => state !== 'not_permitted')
  const isGuess = ({ reason, status: verdict }: Condition) =>
    verdict === 'False' && addressUnknown && (OF_ADDRESS.has(reason) || (reason === 'RefNotPermitted' && allPermitted))
  const guessed = conditions.some(isGuess)
  return {
    conditions: conditions.map((one) => (isGuess(one) ? unknown(one) : one)),
    ...(guessed || status.rejectedFields === undefined ? {} : { rejectedFields: status.rejectedFields }),
  }
}

function unknown(condition: Condition): Condition {
  const message = 'Values of Secrets and ConfigMaps are not read here: the operator judges them when it is applied.'
  return { ...condition, status: 'Unknown', reason: KNOWN_AFTER_APPLY, message }
}
