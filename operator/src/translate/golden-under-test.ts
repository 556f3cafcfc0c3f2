import { checkGlConfig, type GlConfigCheck } from '@llm-gateway/conf'
import type { Condition, ObjectMeta } from '@llm-gateway/crds'
import { stringify } from 'yaml'
import { COMPONENT_LABEL, PROCESSOR_LABEL } from '../model/kube-object.ts'
import type { Snapshot } from '../model/snapshot.ts'
import {
  type Given,
  givenIn,
  NOW,
  observationOf,
  processorOf,
  routerOf,
  snapshotOf,
} from './golden-input-under-test.ts'
import type { Statuses } from './judge-all.ts'
import { TEMPLATE_ENVIRONMENT } from './objects/tls.ts'
import { orphanProcessorStatus } from './processors/orphan-processor-status.ts'
import { orphanStatus } from './routers/orphan-status.ts'
import { type Translation, translate } from './translate.ts'

/** Renders one translation for people: YAML of a snapshot in, YAML of the parts in `show` out. */
export function goldenText(input: string): string {
  const given = givenIn(input)
  const translation = translate(snapshotOf(given))
  const { routers, ...settings } = JSON.parse(translation.glConfig)
  const statuses = statusesOf(given, translation)
  const parts: Readonly<Record<string, unknown>> = {
    settings,
    tls: settings.tls,
    rows: { request: settings.request.processors, response: settings.response.processors },
    routers,
    values: Object.fromEntries(translation.values),
    objects: translation.objects,
    withheld: translation.withheld.map(({ kind, metadata: { name } }) => `${kind} ${name}`),
    objectNames: translation.objects.map(({ kind, metadata: { name } }) => `${kind} ${name}`),
    webObjects: translation.objects.filter(({ metadata }) => metadata.labels[COMPONENT_LABEL] === 'web'),
    sinkObjects: translation.objects.filter(({ metadata }) => metadata.labels[COMPONENT_LABEL] === 'sink'),
    processorObjects: translation.objects.filter(({ metadata }) => PROCESSOR_LABEL in metadata.labels),
    frozen: translation.frozen,
    gatewayStatus: statuses.gateway,
    gatewaySays: conditionTexts(statuses.gateway.conditions),
    processorStatuses: Object.fromEntries(
      statuses.processors.map(({ processor, status }) => [processor.metadata.name, status]),
    ),
    routerStatuses: byName(statuses, (status) => status),
    routersSay: byName(statuses, ({ rejectedFields = [], conditions }) => ({
      ...conditionTexts(conditions),
      ...(rejectedFields.length === 0
        ? {}
        : { rejectedFields: rejectedFields.map((rejected) => `${rejected.field}: ${rejected.reason}`) }),
    })),
  }
  const show: readonly string[] = given.show
  const named = (name: string) =>
    translation.objects.find((object) => `${object.kind} ${object.metadata.name}` === name)
  const shown = Object.fromEntries(show.map((part) => [part, Object.hasOwn(parts, part) ? parts[part] : named(part)]))
  return stringify(shown, { aliasDuplicateObjects: false, lineWidth: 0 })
}

/** Returns the objects that the operator applies for a golden. */
export function appliedObjects(input: string): Translation['objects'] {
  return translate(snapshotOf(givenIn(input))).objects
}

export type JudgedResource = {
  readonly kind: 'LLMGateway' | 'Router' | 'Processor'
  readonly metadata: ObjectMeta
  readonly status: {
    readonly observedGeneration?: number | undefined
    readonly conditions?: readonly Condition[] | undefined
  }
}

/** Returns every resource of a golden with its new status. */
export function judgedResources(input: string): readonly JudgedResource[] {
  const given = givenIn(input)
  const snapshot = snapshotOf(given)
  return resourcesOf(snapshot, statusesOf({ ...given, tell: undefined }, translate(snapshot)))
}

/** Returns every resource with its status after an edit of each of them, while no pod has these edits yet. */
export function editedResources(input: string): readonly JudgedResource[] {
  const given = givenIn(input)
  const snapshot = snapshotOf(given)
  const judged = translate(snapshot).statuses(observationOf(given, translate(snapshot)))
  const edited = <T extends { readonly metadata: ObjectMeta }, S>(resource: T, status: S) => ({
    ...resource,
    metadata: { ...resource.metadata, generation: resource.metadata.generation + 1 },
    status,
  })
  const later = {
    ...snapshot,
    gateway: edited(snapshot.gateway, judged.gateway),
    routers: judged.routers.map(({ router, status }) => edited(router, status)),
    processors: judged.processors.map(({ processor, status }) => edited(processor, status)),
  }
  const translation = translate(later)
  const { observation = {} } = given
  const pods: readonly Given[] = observation.pods ?? []
  const old = {
    ...given,
    observation: { ...observation, pods: pods.map((pod) => ({ ...pod, says: 'old', lagMs: 0 })) },
  }
  const seen = { ...observationOf(old, translation), rolledOut: false }
  return resourcesOf(later, translation.statuses(seen))
}

function resourcesOf({ gateway }: Snapshot, statuses: Statuses): readonly JudgedResource[] {
  return [
    { kind: 'LLMGateway', metadata: gateway.metadata, status: statuses.gateway },
    ...statuses.routers.map(({ router: { metadata }, status }) => ({ kind: 'Router', metadata, status }) as const),
    ...statuses.processors.map(
      ({ processor: { metadata }, status }) => ({ kind: 'Processor', metadata, status }) as const,
    ),
  ]
}

/** Returns all texts that people other than a Secret's owner may read: the file and every status. */
export function shownText(input: string): string {
  const given = givenIn(input)
  const translation = translate(snapshotOf(given))
  return JSON.stringify(
    [translation.glConfig, statusesOf({ ...given, tell: undefined }, translation)],
    withoutResources,
  )
}

/** Resources may show the values that people wrote into them. */
function withoutResources(key: string, value: unknown): unknown {
  return key === 'router' || key === 'processor' ? undefined : value
}

/** Returns the verdict of the gateway's own check on a snapshot's configuration, with the environment of its pods. */
export function checkedConfig(input: string): GlConfigCheck {
  const { frozen, glConfig, values } = translate(snapshotOf(givenIn(input)))
  // The file of a gateway that isn't accepted reaches no pod.
  return checkGlConfig(Buffer.from(frozen ? '{"routers":[]}' : glConfig), {
    environment: TEMPLATE_ENVIRONMENT,
    secrets: values,
  })
}

export function rejectedFields(input: string): unknown {
  const verdict = checkedConfig(input)
  return verdict.kind === 'checked' ? verdict.config.rejectedFields : verdict
}

/**
 * Returns the statuses, also of `orphans` and `orphanProcessors`, whose gateway doesn't exist. If `tell` is given, only
 * the Routers that it names are included.
 */
function statusesOf(given: Given, translation: Translation): Statuses {
  const statuses = translation.statuses(observationOf(given, translation))
  const orphans: readonly Given[] = given.orphans ?? []
  const shown: readonly string[] | undefined = given.tell
  const routers = statuses.routers.filter(({ router }) => shown === undefined || shown.includes(router.metadata.name))
  const alone = orphans.map(routerOf).map((router) => ({ router, status: orphanStatus(router, NOW) }))
  const orphanProcessors: readonly Given[] = given.orphanProcessors ?? []
  const processorsAlone = orphanProcessors
    .map(processorOf)
    .map((processor) => ({ processor, status: orphanProcessorStatus(processor, NOW) }))
  return {
    ...statuses,
    routers: [...routers, ...alone],
    processors: [...statuses.processors, ...processorsAlone],
  }
}

function byName<T>({ routers }: Statuses, tell: (status: Statuses['routers'][number]['status']) => T): object {
  return Object.fromEntries(
    routers.map(({ router: { metadata }, status }) => [`${metadata.namespace}/${metadata.name}`, tell(status)]),
  )
}

/** Formats conditions: `Ready: True Ready: The gateway serves calls.` */
function conditionTexts(conditions: readonly Condition[] = []): object {
  return Object.fromEntries(
    conditions.map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]),
  )
}
