/** How one try ended: the first `delivered` records of the batch are safe; `failure` says why the rest isn't. */
export type Attempt = {
  readonly delivered: number
  readonly failure?: {
    /** A constant: a system error's code, `HTTP_503`. */
    readonly code: string
    /** Whether another try may succeed. */
    readonly again: boolean
  }
}

/** Where records go. */
export type Writer = {
  /** How much one try takes; a single record may be larger. */
  readonly batch: { readonly records: number; readonly bytes: number }
  /** Tries at the same time; 1 keeps the order. */
  readonly concurrency: number
  /** Gets ready to write; the code of what is in the way, which later tries may find gone. */
  open(): Promise<string | undefined>
  /** One try. Never rejects. */
  write(records: readonly Uint8Array[]): Promise<Attempt>
  close(): Promise<void>
}
