import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { FIELD_BYTES } from './connection-bound.ts'
import type { UnreadBody } from './unread-body.ts'

/** An arrived request with the function that begins its call. */
export type ArrivedRequest = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly begin: RequestListener
}

export type WaitingRequest = ArrivedRequest & { readonly unread: UnreadBody | undefined }

/** A connection with more waiting requests or bytes isn't read until some have begun. */
const MOST_WAITING = 16
const MOST_HEAD_BYTES = 48 * 1024
/**
 * Node parses a whole segment of 64 KiB, which may hold 3,000 requests. While this many wait on all connections, a
 * connection with more than `FEW_WAITING` of them is cut.
 */
const MOST_ON_PORT = 2_000
const FEW_WAITING = 8

/** The requests of a connection that wait for the answers before theirs. */
export class WaitingRequests {
  /** The number of waiting requests on all connections. */
  readonly #port: { waiting: number }
  readonly #requests: WaitingRequest[] = []
  #headBytes = 0

  constructor(port: { waiting: number }) {
    this.#port = port
  }

  get isEmpty(): boolean {
    return this.#requests.length === 0
  }

  get areMany(): boolean {
    return this.#requests.length > FEW_WAITING
  }

  /** True while the connection must not be read. */
  get areTooMany(): boolean {
    return this.#requests.length > MOST_WAITING || this.#headBytes > MOST_HEAD_BYTES
  }

  /** True where the connection must be cut, since the port has too many waiting requests. */
  get mustBeCut(): boolean {
    return this.#port.waiting > MOST_ON_PORT && this.areMany
  }

  get last(): WaitingRequest | undefined {
    return this.#requests.at(-1)
  }

  /** The bytes of their heads and bodies in memory. */
  get bytes(): number {
    let bytes = this.#headBytes
    for (const { request, unread } of this.#requests) bytes += (unread?.length ?? 0) + request.readableLength
    return bytes
  }

  add(call: WaitingRequest): void {
    this.#requests.push(call)
    this.#port.waiting += 1
    this.#headBytes += bytesOfHead(call.request)
  }

  takeFirst(): WaitingRequest | undefined {
    const call = this.#requests.shift()
    if (call === undefined) return undefined
    this.#port.waiting -= 1
    this.#headBytes -= bytesOfHead(call.request)
    return call
  }

  drop(): void {
    this.#port.waiting -= this.#requests.length
    this.#requests.length = 0
    this.#headBytes = 0
  }
}

/** Returns the bytes of a request's target and head in memory, where each name and value is an object of its own. */
function bytesOfHead({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length + FIELD_BYTES, url.length)
}
