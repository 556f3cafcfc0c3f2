/** The reason why a call got no reply, the beginning of the error text in a record (docs/reference/bus.md#failures). */
export type CallError =
  | 'timeout'
  /**
   * The call wasn't sent: too many calls wait for processors or for a bus that is behind, or the gateway's memory has
   * no room for the message.
   */
  | 'timeout: not sent, too much waits already'
  | 'no responders'
  | 'disconnected'
  | 'too large'

export type CallOutcome =
  | { readonly kind: 'reply'; readonly bytes: Uint8Array }
  | { readonly kind: 'failed'; readonly error: CallError }

export type CallOptions = {
  readonly timeoutMs: number
  /** The path of the caller's router, for the header Gateway-Router (docs/reference/bus.md#request). */
  readonly router: string
}

/** The message bus as seen by the gateway; the bus may be away at any time, even at the start. */
export type Bus = {
  readonly connected: boolean
  /** The server's last known limit in bytes of headers and payload together; undefined before the first connection. */
  readonly maxPayload: number | undefined
  /**
   * Sends a request and waits for the first answer; never rejects. While the bus is behind, the message waits within
   * its timeout. A lost connection ends the call as `disconnected` at once.
   */
  call(subject: string, message: Uint8Array, options: CallOptions): Promise<CallOutcome>
  /**
   * Resolves with true after a PONG that follows all earlier messages, with false when the connection ends first; never
   * rejects.
   */
  flush(): Promise<boolean>
  /** Called for the first connection and every reconnection. */
  onConnected(listener: () => void): void
  onDisconnected(listener: () => void): void
  /** Answers every request on `subject`, on this connection and all later connections. */
  respond(subject: string, answer: () => Uint8Array): void
  /** Ends pending calls as `disconnected`, sends the published messages and closes for good. */
  close(): Promise<void>
}
