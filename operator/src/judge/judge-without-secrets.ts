import type { Condition, LlmGateway, Processor, Router, RouterStatus } from '@llm-gateway/crds'
import { keyOf } from '@llm-gateway/kube'
import type { Snapshot, Source } from '../model/snapshot.ts'
import { allKeys } from '../translate/objects/template-keys.ts'
import type { EntryMemory } from '../translate/routers/entry-memory.ts'
import { processorKeys, routerSources, sourceOf } from '../translate/variables/read-key.ts'
import { namesIn } from '../translate/variables/split-references.ts'
import { judgeSnapshot, readyDeployment } from './judge-snapshot.ts'
import { variablesOf } from './variables-of.ts'

/** A gateway with its Routers and Processors, as seen by a program that may read no Secret and no Namespace. */
export type JudgedResources = {
  readonly gateway: LlmGateway
  readonly routers: readonly Router[]
  readonly processors: readonly Processor[]
  /** Namespaces whose Routers attach. Their labels can't be read, so selectors are taken to match them. */
  readonly namespaces: readonly string[]
}

/**
 * Resources by `namespace/name` → the operator's verdicts. Verdicts that need a Secret or ConfigMap are
 * `KnownAfterApply`.
 */
export type SecretlessJudgement = {
  /** Holds no values, only their names `${V_…}`. */
  readonly glConfig: string
  readonly gateway: SecretlessStatus
  readonly routers: ReadonlyMap<string, SecretlessStatus>
  readonly processors: ReadonlyMap<string, SecretlessStatus>
}
export type SecretlessStatus = Pick<RouterStatus, 'rejectedFields'> & { readonly conditions: readonly Condition[] }

/**
 * Stands for every value. The stand-in is both an address and a valid header, so that no value is refused for its form.
 * The stand-in never reaches the file, which has only the names of values.
 */
const STAND_IN = 'https://known-after-apply.invalid/'
const KNOWN_AFTER_APPLY = 'KnownAfterApply'
/** Reasons that a Router with an unknown address may get, for the address or for the keys that are sent there. */
const OF_ADDRESS: ReadonlySet<string> = new Set(['HostNotAllowed', 'InvalidUrl'])

/** Judges as the operator does, without reading a Secret or ConfigMap. `memory` only saves work. */
export function judgeWithoutSecrets(
  resources: JudgedResources,
  now: string,
  memory?: EntryMemory,
): SecretlessJudgement {
  const snapshot = snapshotWithoutSecrets(resources)
  const { translation, statuses } = judgeSnapshot(snapshot, now, memory)
  const routers = statuses.routers.map(
    ({ router, status }) => [keyOf(router.metadata), blindRouter(router, status, snapshot)] as const,
  )
  const processors = statuses.processors.map(
    ({ processor, status }) => [keyOf(processor.metadata), withoutUnknown(status)] as const,
  )
  return {
    glConfig: translation.glConfig,
    gateway: withoutUnknown(statuses.gateway),
    routers: new Map(routers),
    processors: new Map(processors),
  }
}

/** Returns the snapshot to judge: no key could be read, and every value has a stand-in. */
export function snapshotWithoutSecrets({ gateway, routers, processors, namespaces }: JudgedResources): Snapshot {
  const unread: Source = { kind: 'failed' }
  const keys = [...allKeys(gateway), ...routers.flatMap(routerSources), ...processors.flatMap(processorKeys)]
  return {
    gateway: withAdmitted(gateway, namespaces),
    otherGateways: [],
    routers,
    processors,
    processorDeployments: new Map(
      processors.map(({ metadata: { name }, spec: { replicas } }) => [name, readyDeployment(replicas)]),
    ),
    liveCallPoints: [],
    namespaces: new Map(namespaces.map((name) => [name, { [NAME_LABEL]: name }])),
    sources: new Map(keys.map((key) => [sourceOf(key), unread])),
    textOfUnread: STAND_IN,
    defaultImage: '',
    operatorNamespace: '',
  }
}

/** The API server puts this label on every namespace. */
const NAME_LABEL = 'kubernetes.io/metadata.name'

/** Replaces selectors of labels by a selector of the admitted names. */
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

function withoutUnknown({
  conditions = [],
}: {
  readonly conditions?: readonly Condition[] | undefined
}): SecretlessStatus {
  return {
    conditions: conditions.map((condition) => (condition.reason === 'ReadFailed' ? unknown(condition) : condition)),
  }
}

function blindRouter(router: Router, status: RouterStatus, snapshot: Snapshot): SecretlessStatus {
  const { conditions } = withoutUnknown(status)
  const variables = variablesOf(router, snapshot)
  const inAddress = new Set(namesIn(router.spec.outbound.url))
  const addressUnknown = variables.some(({ name, fromKey }) => fromKey && inAddress.has(name))
  const allPermitted = variables.every(({ state }) => state !== 'not_permitted')
  const isGuess = ({ reason, status: verdict }: Condition) =>
    verdict === 'False' && addressUnknown && (OF_ADDRESS.has(reason) || (reason === 'RefNotPermitted' && allPermitted))
  const guessed = conditions.some(isGuess)
  return {
    conditions: conditions.map((condition) => (isGuess(condition) ? unknown(condition) : condition)),
    ...(guessed || status.rejectedFields === undefined ? {} : { rejectedFields: status.rejectedFields }),
  }
}

function unknown(condition: Condition): Condition {
  const message = 'Values of Secrets and ConfigMaps are not read here: the operator judges them when it is applied.'
  return { ...condition, status: 'Unknown', reason: KNOWN_AFTER_APPLY, message }
}
