import { AUTHORITIES_LIMIT } from '@llm-gateway/conf'
import {
  conditionAt,
  decodeMetadata,
  isObject,
  listAt,
  numberAt,
  type Stored,
  textAt,
  valueAt,
} from '@llm-gateway/kube'
import { componentOf } from '../model/kube-object.ts'
import type { FoundSource, ObservedBus, ObservedDeployment, PodFailure } from '../model/snapshot.ts'
import { decodeLean, MOST_TEXT } from './decode-lean.ts'
import { podFailure } from './pod-failure.ts'

export type Pod = Stored & {
  readonly ready: boolean
  readonly running: boolean
  /** "" until the pod has an address. */
  readonly address: string
  /** The reason why the pod doesn't start; unset: no cause is seen. */
  readonly failure?: PodFailure | undefined
}

export function decodePod(object: unknown): Pod | undefined {
  const stored = decodeLean(object)
  if (stored === undefined) return undefined
  return {
    ...stored,
    ready: conditionAt(object, 'Ready')?.status === 'True',
    running: textAt(object, 'status', 'phase') === 'Running',
    address: textAt(object, 'status', 'podIP') ?? '',
    failure: podFailure(object),
  }
}

export type Workload = Stored & { readonly observed: ObservedDeployment }

export function decodeDeployment(object: unknown): Workload | undefined {
  const stored = decodeLean(object)
  if (stored === undefined) return undefined
  const current = (numberAt(object, 'status', 'observedGeneration') ?? 0) >= stored.metadata.generation
  const condition = listAt(object, 'status', 'conditions').find(
    (condition) => textAt(condition, 'type') === 'Available',
  )
  const available = textAt(condition, 'status') === 'True'
  const since = textAt(condition, 'lastTransitionTime') ?? stored.metadata.creationTimestamp
  const count = (name: string) => numberAt(object, 'status', name) ?? 0
  return {
    ...stored,
    observed: {
      available: current && available,
      ...(current ? {} : { wasAvailable: available }),
      ...(available ? {} : { unavailableSince: since }),
      ...(conditionAt(object, 'ReplicaFailure')?.status === 'True' ? { refused: true } : {}),
      stuck: conditionAt(object, 'Progressing')?.reason === 'ProgressDeadlineExceeded',
      replicas: count('replicas'),
      readyReplicas: count('readyReplicas'),
      updatedReplicas: count('updatedReplicas'),
    },
  }
}

export type BusSet = Stored & { readonly observed: ObservedBus }

/** Decodes the StatefulSet of a bus. */
export function decodeBus(object: unknown): BusSet | undefined {
  const stored = decodeLean(object)
  if (stored === undefined) return undefined
  const { generation, annotations } = stored.metadata
  const container = listAt(object, 'spec', 'template', 'spec', 'containers').find(
    (container) => textAt(container, 'name') === 'bus',
  )
  const count = (name: string) => numberAt(object, 'status', name) ?? 0
  const name = textAt(container, 'image') ?? ''
  const image = name.length <= MOST_TEXT ? name : ''
  const runs = count('observedGeneration') >= generation && count('readyReplicas') > 0 && count('updatedReplicas') > 0
  return { ...stored, observed: { image, ready: runs && image !== '', annotations } }
}

/**
 * Stands for each text that is longer than its users take; one text, whatever their number. It is longer than the
 * largest text that anybody takes.
 */
export const TOO_LONG = 'x'.repeat(AUTHORITIES_LIMIT.bytes + 1)

/** Decodes the texts of a Secret or ConfigMap. One trailing newline is dropped, as the gateway does with files. */
export function decodeSource(object: unknown): FoundSource {
  const data = valueAt(object, 'data')
  const keys = isObject(data) ? Object.keys(data) : []
  return decodeKeys(object, new Map(keys.map((key) => [key, Number.POSITIVE_INFINITY])))
}

/**
 * Decodes the named keys of a Secret or ConfigMap, each with the most characters that its users take. Other keys may
 * have a megabyte, or be 65,000.
 */
export function decodeKeys(object: unknown, keys: ReadonlyMap<string, number>): FoundSource {
  const isSecret = textAt(object, 'kind') === 'Secret'
  const data = valueAt(object, 'data')
  const values = [...keys].flatMap(([key, most]): [string, string][] => {
    if (!isObject(data) || !Object.hasOwn(data, key)) return []
    const value = data[key]
    const text = typeof value === 'string' ? value : ''
    const whole = (isSecret ? Buffer.from(text, 'base64').toString() : text).replace(/\r?\n$/, '')
    return [[key, whole.length > most ? TOO_LONG : whole]]
  })
  const { labels = {}, uid = '', resourceVersion = '' } = decodeMetadata(object)?.metadata ?? {}
  const made = componentOf(labels) !== undefined
  const type = textAt(object, 'type') ?? ''
  const version = `${uid}/${resourceVersion}`
  return { kind: 'found', type, values: new Map(values), version, ...(made ? { made } : {}) }
}

/** Returns the uid of the controller that owns an object. */
export function controllerOf({ metadata }: Stored): string | undefined {
  return metadata.ownerReferences.find(({ controller }) => controller)?.uid
}

/** A pod of a Processor, with the reason why it doesn't start. */
export type ProcessorPod = Stored & { readonly failure: PodFailure | undefined }

export function decodeProcessorPod(object: unknown): ProcessorPod | undefined {
  const stored = decodeLean(object)
  return stored && { ...stored, failure: podFailure(object) }
}
