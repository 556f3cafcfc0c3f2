import { GROUP, objectMetaSchema } from '@llm-gateway/crds'
import { valueAt } from './json-value.ts'
import type { Stored } from './store.ts'

/** What the API server sends → what we read of it; undefined: it isn't what it should be. */
export function decodeMetadata(object: unknown): Stored | undefined {
  const parsed = objectMetaSchema.safeParse(valueAt(object, 'metadata'))
  return parsed.success ? lean({ metadata: parsed.data }) : undefined
}

const NOTHING = {}

/** Without what others annotate: kubectl keeps a copy of the whole object there, and of a Secret that is its values. */
export function lean<T extends Stored>(object: T): T {
  const { annotations } = object.metadata
  const ours = Object.entries(annotations).filter(([name]) => name.startsWith(`${GROUP}/`))
  const kept = ours.length === 0 ? NOTHING : Object.fromEntries(ours)
  return { ...object, metadata: { ...object.metadata, annotations: kept } }
}
