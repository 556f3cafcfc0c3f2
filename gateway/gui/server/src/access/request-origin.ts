import { isIP } from 'node:net'

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Returns whether `Host` may name this machine. In a DNS rebinding attack a foreign name points at this machine's
 * address, so unknown names are refused. Plain addresses are safe: they can't point elsewhere.
 */
export function isOwnHost(host: string | undefined, allowed: ReadonlySet<string>): boolean {
  const name = hostName(host ?? '')
  if (name === undefined) return false
  return isIP(name) > 0 || name === 'localhost' || name.endsWith('.localhost') || allowed.has(name)
}

/** Returns the host in lower case, without port and brackets; undefined when the text is not a host. */
function hostName(host: string): string | undefined {
  const [, v6, name] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::\d{1,5})?$/i.exec(host) ?? []
  return (v6 ?? name)?.toLowerCase().replace(/\.$/, '')
}

/**
 * Returns whether a browser sent the request for another site. Requests without a browser have neither of the two
 * headers.
 */
export function isForeignRequest(headers: Headers): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (typeof site === 'string' && site !== 'same-origin' && site !== 'none') return true
  if (origin === undefined) return false
  // A proxy in front may terminate TLS, so the scheme is not compared.
  return typeof origin !== 'string' || origin.replace(/^https?:\/\//, '') !== host
}
