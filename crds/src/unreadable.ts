/** Stands on an object that is stored in a form which this version can't decode (kubernetes, 4). */
export type Unreadable = {
  /** Its spec is the one that was read last; otherwise only names and references of the spec could be read. */
  readonly isKept: boolean
  /** The metadata.generation that is stored; that of the object is the one of the spec it has. */
  readonly generation: number
}

export type MaybeUnreadable = { readonly unreadable?: Unreadable }
