import { isIP } from 'node:net'

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Whether the name that a request was sent to may be one of this machine. A site whose name is pointed at this machine's
 * address (DNS rebinding) has a name of its own; an address can't be pointed anywhere.
 */
export function isOwnHost(host: string | undefined, allowed: ReadonlySet<string>): boolean {
  const name = hostName(host ?? '')
  if (name === undefined) return false
  return isIP(name) > 0 || name === 'localhost' || name.endsWith('.localhost') || allowed.has(name)
}

/** Lower-case, without port and brackets; undefined for what is no host. */
function hostName(host: string): string | undefined {
  const [, v6, name] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::\d{1,5})?$/i.exec(host) ?? []
  return (v6 ?? name)?.toLowerCase().replace(/\.$/, '')
}

/** Whether a browser sent it for another site. What no browser sent has neither header. */
export function isForeign(headers: Headers): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (typeof site === 'string' && site !== 'same-origin' && site !== 'none') return true
  if (origin === undefined) return false
  // A proxy in front may speak TLS where this program doesn't: the scheme is its matter.
  return typeof origin !== 'string' || origin.replace(/^https?:\/\//, '') !== host
}
