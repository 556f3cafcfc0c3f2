import { type Condition, llmGatewaySchema, processorSchema, routerSchema } from '@llm-gateway/crds'
import type { ResourceCheck } from '@llm-gateway/gui-api'
import { keyOf, numberAt, textAt, valueAt } from '@llm-gateway/kube'
import {
  gatewayKeyOf,
  gatewayKeyOfProcessor,
  type JudgedResources,
  judgeWithoutSecrets,
  type SecretlessJudgement,
  type SecretlessStatus,
  snapshotWithoutSecrets,
  variablesOf,
} from '@llm-gateway/operator/judge'
import { changedParts } from './changed-parts.ts'
import type { ResourcePlace } from './questions.ts'
import { shownCondition } from './resource-row.ts'

export type Draft = { readonly place: ResourcePlace; readonly object: object; readonly stored: unknown }

/** The outcome of a draft. `result` is unknown if the draft belongs to another gateway or nothing is known yet. */
export type DraftVerdict = Pick<
  ResourceCheck,
  'result' | 'conditions' | 'rejected_fields' | 'variables' | 'others' | 'file'
>

/**
 * The state of all resources without the draft. Only the compared parts are kept, because there may be 5,000 Routers.
 */
export type Baseline = {
  readonly resources: JudgedResources
  readonly glConfig: string
  /** `Router/namespace/name` → status of its condition Ready. */
  readonly ready: ReadonlyMap<string, Condition['status']>
}

export function baselineOf(resources: JudgedResources, now: string): Baseline {
  const judgement = judgeWithoutSecrets(resources, now)
  const ready = statusesOf(judgement).flatMap(([kind, key, status]) => {
    const condition = readyOf(status)
    return condition === undefined ? [] : [[`${kind}/${key}`, condition.status] as const]
  })
  return { resources, glConfig: judgement.glConfig, ready: new Map(ready) }
}

const MOST_OTHERS = 50
const NOTHING = { conditions: [], rejected_fields: [], variables: [], others: [], file: null }

/** Judges all resources as the operator would, with the draft in place of the stored resource. */
export function judgeDraft(draft: Draft, baseline: Baseline | undefined, now: string): DraftVerdict {
  const resources = baseline === undefined ? undefined : withDraft(draft, baseline.resources, now)
  if (baseline === undefined || resources === undefined) return { result: 'unknown', ...NOTHING }
  const { place } = draft
  const judgement = judgeWithoutSecrets(resources, now)
  const own = statusOf(judgement, place)
  const conditions = own?.conditions ?? []
  return {
    result: conditions.some(({ type, status }) => status === 'False' && type !== 'RecordsDurable')
      ? 'not_ready'
      : 'valid',
    conditions: conditions.map((condition) => ({
      ...shownCondition(condition),
      observed_generation: null,
      since: null,
    })),
    rejected_fields: own?.rejectedFields ?? [],
    variables: variablesIn(place, resources),
    others: othersOf(baseline.ready, judgement, place),
    file: changedParts(baseline.glConfig, judgement.glConfig),
  }
}

/** Returns the variables of a stored or drafted Router. */
export function variablesIn(
  { kind, namespace, name }: ResourcePlace,
  resources: JudgedResources,
): ResourceCheck['variables'] {
  const router = resources.routers.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
  if (kind !== 'Router' || router === undefined) return []
  const snapshot = snapshotWithoutSecrets({ ...resources, routers: [], processors: [] })
  return variablesOf(router, snapshot).map(({ name: variable, state, fromKey }) => ({
    name: variable,
    state,
    value: fromKey ? 'known after apply' : null,
  }))
}

function withDraft({ place, object, stored }: Draft, resources: JudgedResources, now: string) {
  const whole = { ...object, metadata: metadataOf({ place, object, stored }, now) }
  const others = <T extends { readonly metadata: { readonly namespace: string; readonly name: string } }>(
    list: readonly T[],
  ) => list.filter(({ metadata }) => keyOf(metadata) !== keyOf(place))
  const key = keyOf(resources.gateway.metadata)
  switch (place.kind) {
    case 'LLMGateway': {
      const gateway = llmGatewaySchema.parse(whole)
      return keyOf(gateway.metadata) === key ? { ...resources, gateway } : undefined
    }
    case 'Router': {
      const router = routerSchema.parse(whole)
      return gatewayKeyOf(router) === key
        ? { ...resources, routers: [...others(resources.routers), router] }
        : undefined
    }
    case 'Processor': {
      const processor = processorSchema.parse(whole)
      return gatewayKeyOfProcessor(processor) === key
        ? { ...resources, processors: [...others(resources.processors), processor] }
        : undefined
    }
    default:
      return place.kind satisfies never
  }
}

/** Returns metadata as the API server sets it: an edit gets a new generation, and a new resource is the youngest. */
function metadataOf({ place, object, stored }: Draft, now: string): object {
  const { namespace, name } = place
  const generation = numberAt(stored, 'metadata', 'generation') ?? 0
  const isSame = JSON.stringify(valueAt(stored, 'spec')) === JSON.stringify(valueAt(object, 'spec'))
  return {
    namespace,
    name,
    uid: textAt(stored, 'metadata', 'uid') ?? 'draft',
    creationTimestamp: textAt(stored, 'metadata', 'creationTimestamp') ?? now,
    generation: isSame ? generation : generation + 1,
    annotations: valueAt(object, 'metadata', 'annotations') ?? {},
    labels: valueAt(object, 'metadata', 'labels') ?? {},
  }
}

function statusOf(judgement: SecretlessJudgement, place: ResourcePlace): SecretlessStatus | undefined {
  switch (place.kind) {
    case 'LLMGateway':
      return judgement.gateway
    case 'Router':
      return judgement.routers.get(keyOf(place))
    case 'Processor':
      return judgement.processors.get(keyOf(place))
    default:
      return place.kind satisfies never
  }
}

function othersOf(before: Baseline['ready'], after: SecretlessJudgement, own: ResourcePlace): ResourceCheck['others'] {
  const changed: ResourceCheck['others'] = []
  for (const [kind, key, status] of statusesOf(after)) {
    const [was, is] = [before.get(`${kind}/${key}`), readyOf(status)]
    if (was === undefined || is === undefined || was === is.status) continue
    const [namespace = '', name = ''] = key.split('/')
    if ((kind === own.kind && key === keyOf(own)) || changed.length >= MOST_OTHERS) continue
    changed.push({ kind, namespace, name, before: was, after: is.status, reason: is.reason, message: is.message })
  }
  return changed
}

function statusesOf({ routers, processors }: SecretlessJudgement) {
  return [
    ...[...routers].map(([key, status]) => ['Router', key, status] as const),
    ...[...processors].map(([key, status]) => ['Processor', key, status] as const),
  ]
}

function readyOf(status: SecretlessStatus | undefined): Condition | undefined {
  return status?.conditions.find(({ type }) => type === 'Ready')
}
