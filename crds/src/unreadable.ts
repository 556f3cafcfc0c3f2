/**
 * Marks an object whose stored form this version can't decode: reason `Unreadable` of
 * docs/reference/kubernetes.md#reasons.
 */
export type Unreadable = {
  /** True: the spec is the last spec that could be read. False: only names and references of the spec could be read. */
  readonly isKept: boolean
  /** The stored metadata.generation. The object's own is that of its kept spec. */
  readonly generation: number
}

export type MaybeUnreadable = { readonly unreadable?: Unreadable }
