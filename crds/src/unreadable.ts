/**
 * Marks an object whose stored form this version can't decode: reason `Unreadable` of
 * docs/reference/kubernetes.md#reasons.
 */
export type Unreadable = {
  /** Its spec is the one that was read last; otherwise only names and references of the spec could be read. */
  readonly isKept: boolean
  /** The metadata.generation that is stored; that of the object is the one of the spec it has. */
  readonly generation: number
}

export type MaybeUnreadable = { readonly unreadable?: Unreadable }
