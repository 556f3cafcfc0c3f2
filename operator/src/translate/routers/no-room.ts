import type { Router } from '@llm-gateway/crds'

/** The most characters of the Routers of a namespace that the caches keep, where each text counts 64 more. */
export const MOST_KEPT_CHARACTERS = 32 * 1024 * 1024

/** Stands for the headers of Routers for which their namespace has no room in the caches. */
export const NO_ROOM: Readonly<Record<string, string[]>> = {}

export function hasRoom({ spec }: Router): boolean {
  return spec.outbound.headers !== NO_ROOM
}
