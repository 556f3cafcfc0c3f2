/** Why a call got no reply: the first words of the error text in a record (docs/reference/bus.md#failures). */
export type CallError =
  | 'timeout'
  /** So much waits for a bus or processors that are behind that waiting is of no use. */
  | 'timeout: not sent, too much waits already'
  | 'no responders'
  | 'disconnected'
  | 'too large'

export type CallOutcome =
  | { readonly kind: 'reply'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly error: CallError }

/** The message bus as the gateway sees it; it may be away at any time, at the start too. */
export type Bus = {
  readonly connected: boolean
  /** Bytes of headers and payload together; what the server last said; undefined before the first connection. */
  readonly maxPayload: number | undefined
  /** Asks and waits for the first answer; never rejects. While the bus is behind, the message waits within its time.
   * A connection that drops ends it as `disconnected` at once.
   */
  call(subject: string, message: Uint8Array, timeoutMs: number): Promise<CallOutcome>
  /** True after a PONG that came after everything published before; false when the connection ends first; never rejects. */
  flush(): Promise<boolean>
  /** The first connection and every reconnection. */
  onConnected(listener: () => void): void
  onDisconnected(listener: () => void): void
  /** Answers every request on `subject`, on this connection and all later ones. */
  respond(subject: string, answer: () => Uint8Array): void
  /** Ends pending calls as `disconnected`, sends what was published and closes for good. */
  close(): Promise<void>
}
