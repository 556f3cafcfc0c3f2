import { tokenReference } from '../../model/names.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { type KeySource, sourceOf } from './read-key.ts'

/** The destination of a text, which decides about keys in it. */
export type Destination =
  | { readonly kind: 'sent'; readonly url: URL; readonly hostHeader: boolean }
  /** The address is invalid, so nothing of the Router is sent. */
  | { readonly kind: 'nowhere' }
  /** Outside outbound.headers. */
  | { readonly kind: 'elsewhere' }

/** A key that a Router names, and its destination. */
export type KeyUse = {
  readonly key: KeySource
  /** For a shared secret only. */
  readonly hosts: readonly string[] | undefined
  readonly destination: Destination
}

type Refusal = (use: KeyUse, snapshot: Snapshot) => string | undefined

const REFUSALS: readonly Refusal[] = [isBusToken, isMadeByUs, isSharedOutsideHeaders, isSentElsewhere, hasOwnHostHeader]

/** Returns why a Router may not use a key, without its value; undefined: it may. */
export function refusedKey(use: KeyUse, snapshot: Snapshot): string | undefined {
  for (const refuse of REFUSALS) {
    const why = refuse(use, snapshot)
    if (why !== undefined) return why
  }
  return undefined
}

/**
 * Refuses the token of the bus. Its holder is trusted with all traffic, so no Router gets it under another name
 * (docs/reference/kubernetes.md#trust).
 */
function isBusToken({ key }: KeyUse, { gateway }: Snapshot): string | undefined {
  const token = tokenReference(gateway)
  const isToken =
    key.kind === 'Secret' &&
    key.namespace === gateway.metadata.namespace &&
    key.reference.name === token.name &&
    key.reference.key === token.key
  return isToken ? "is the bus's token" : undefined
}

/**
 * Refuses objects that the operator made. The values Secret would refer to itself, and each write of it would cause the
 * next.
 */
function isMadeByUs({ key }: KeyUse, { sources }: Snapshot): string | undefined {
  const source = sources.get(sourceOf(key))
  return source?.kind === 'found' && source.made === true
    ? `is a key of ${key.kind} ${key.reference.name}, which the operator made`
    : undefined
}

function isSharedOutsideHeaders({ hosts, destination }: KeyUse): string | undefined {
  if (hosts === undefined || destination.kind !== 'elsewhere') return undefined
  return 'is a shared secret, which outbound.headers alone may refer to'
}

/** A Router's author must not be able to send the gateway's key to a server of their own. */
function isSentElsewhere({ hosts, destination }: KeyUse): string | undefined {
  if (hosts === undefined || destination.kind !== 'sent') return undefined
  const { url } = destination
  return hosts.some((host) => matchesHost(host, url, { forKey: true }))
    ? undefined
    : 'may not be sent to this host: its sharedEnv entry lists others in hosts'
}

/** An address may serve many hosts, the author's among them, and the Host header chooses between them. */
function hasOwnHostHeader({ hosts, destination }: KeyUse): string | undefined {
  if (hosts === undefined || destination.kind !== 'sent' || !destination.hostHeader) return undefined
  return 'may not be sent with a Host header'
}

/**
 * `host`, `host:port`, `*.host`, or one of these after `http://`, in lower case
 * (docs/reference/kubernetes.md#variables).
 */
const ENTRY = /^(http:\/\/)?(\*\.)?([^:/]+)(?::(\d+))?$/

/**
 * Returns whether an entry names the host and port of a URL. A key goes to https only, unless the entry begins with
 * `http://`.
 */
export function matchesHost(entry: string, url: URL, options: { readonly forKey: boolean }): boolean {
  const [, plain, wildcard, host = '', port] = ENTRY.exec(entry) ?? []
  if (host === '') return false
  if (options.forKey && url.protocol !== 'https:' && plain === undefined) return false
  if (plain !== undefined && url.protocol !== 'http:') return false
  if (portOf(url) !== (port ?? (plain === undefined ? '443' : '80'))) return false
  const hostname = url.hostname.toLowerCase()
  if (wildcard === undefined) return hostname === host
  const dot = hostname.indexOf('.')
  // One label, as in certificates: *.example.com doesn't match a.b.example.com.
  return dot > 0 && hostname.slice(dot + 1) === host
}

function portOf({ port, protocol }: URL): string {
  if (port !== '') return port
  return protocol === 'https:' ? '443' : '80'
}
