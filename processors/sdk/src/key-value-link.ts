export type LinkMessage = {
  readonly subject: string
  /** Where an answer goes; for messages of a stream also their place in it. Empty: nowhere. */
  readonly reply: string
  readonly bytes: Uint8Array
  /** 0 for a message, else the bus's own word: 100 a heartbeat, 404 nothing there, 408 waited long enough, 409 ended. */
  readonly status: number
  /** The first value of a bus header, undefined where the message has none of that name. */
  header(name: string): string | undefined
}

export type LinkReply =
  | { readonly kind: 'message'; readonly message: LinkMessage }
  /** Nobody holds the subject: no such bucket, or no store at all. */
  | { readonly kind: 'nobody' }
  | { readonly kind: 'too large' }
  /** Not connected, or no answer in time. */
  | { readonly kind: 'failed' }

export type LinkInbox = {
  /** Publishes, with the inbox as the place for answers. */
  ask(subject: string, bytes: Uint8Array): void
  close(): void
}

/** What key-value state needs of a connection to the bus; nothing here rejects or throws. */
export type KeyValueLink = {
  readonly connected: boolean
  request(subject: string, bytes: Uint8Array, headers?: Readonly<Record<string, string>>): Promise<LinkReply>
  inbox(receive: (message: LinkMessage) => void): LinkInbox
  /** Tells each loss of the connection and each return; `gone` when it is closed for good. */
  follow(changed: (state: 'lost' | 'back' | 'gone') => void): void
}

/** How long one operation may take in all. */
export const OPERATION_TIMEOUT_MS = 2_000
