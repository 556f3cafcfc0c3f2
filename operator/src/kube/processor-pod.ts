import type { PodFailure } from '../snapshot.ts'
import { decodeMetadata } from './decode.ts'
import { podFailure } from './pod-failure.ts'
import type { Stored } from './store.ts'

/** A pod of a Processor, and why it doesn't start. */
export type ProcessorPod = Stored & { readonly failure: PodFailure | undefined }

export function decodeProcessorPod(object: unknown): ProcessorPod | undefined {
  const stored = decodeMetadata(object)
  return stored && { ...stored, failure: podFailure(object) }
}
