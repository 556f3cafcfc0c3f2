import { decodeMetadata } from './decode.ts'
import { isObject, numberAt, textAt, valueAt } from './json-value.ts'
import type { Stored } from './store.ts'

/** A pod of a Processor, and why it doesn't start. */
export type ProcessorPod = Stored & { readonly failure: 'image' | 'crash' | undefined }

/** What the kubelet waits for where an image can't be had. */
const IMAGE: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
])
/** Once may be an accident; and between two crashes a container runs for a while. */
const CRASHES = 2

export function decodeProcessorPod(object: unknown): ProcessorPod | undefined {
  const stored = decodeMetadata(object)
  if (stored === undefined) return undefined
  const statuses = valueAt(object, 'status', 'containerStatuses')
  const container = Array.isArray(statuses) ? statuses.find(isObject) : undefined
  return { ...stored, failure: failureOf(container) }
}

function failureOf(container: unknown): ProcessorPod['failure'] {
  if (valueAt(container, 'ready') === true) return undefined
  const waiting = textAt(container, 'state', 'waiting', 'reason') ?? ''
  if (IMAGE.has(waiting)) return 'image'
  const restarts = numberAt(container, 'restartCount') ?? 0
  return waiting === 'CrashLoopBackOff' || restarts >= CRASHES ? 'crash' : undefined
}
