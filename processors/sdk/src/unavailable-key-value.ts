import type { KeyValue } from './key-value.ts'

const UNAVAILABLE = { kind: 'failed', error: 'unavailable' } as const

/** A bucket of a bus that isn't there: nothing can be read or written, and there is no entry to tell. */
export const unavailableKeyValue: KeyValue = {
  get: async () => UNAVAILABLE,
  put: async () => UNAVAILABLE,
  update: async () => UNAVAILABLE,
  delete: async () => UNAVAILABLE,
  watch: () => ({ ready: Promise.resolve(), close: async () => undefined }),
}
