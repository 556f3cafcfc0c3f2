import { decodeMetadata, type Stored } from '@llm-gateway/kube'
import type { PodFailure } from '../model/snapshot.ts'
import { podFailure } from './pod-failure.ts'

/** A pod of a Processor, and why it doesn't start. */
export type ProcessorPod = Stored & { readonly failure: PodFailure | undefined }

export function decodeProcessorPod(object: unknown): ProcessorPod | undefined {
  const stored = decodeMetadata(object)
  return stored && { ...stored, failure: podFailure(object) }
}
