import type { LookupAddress } from 'node:dns'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'
import { sharedLookup } from './shared-lookup.ts'

/** The addresses to which connections are refused (outbound_deny), checked after DNS, so that no name can hide them. */
export type DenyList = {
  denies(address: string): boolean
  /** node's lookup; fails with UPSTREAM_DENIED where any address of a name is denied. */
  readonly lookup: LookupFunction
  /** Resolves a name to an address for a request to a proxy; rejects with UPSTREAM_DENIED or with DNS's error. */
  resolve(hostname: string): Promise<string>
}

/**
 * Creates the list; returns undefined where nothing is denied. `cidrs` were checked with the file. `own` holds this
 * machine's addresses, which reach the same ports as loopback, the admin port among them.
 */
export function createDenyList(
  cidrs: readonly string[],
  own: ReadonlySet<string> = new Set(),
  systemLookup: LookupFunction = sharedLookup,
): DenyList | undefined {
  if (cidrs.length === 0) return undefined
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address = '', prefix] = cidr.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(prefix ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  const listed = (address: string) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  const denies = (address: string) => {
    const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
    return isIP(bare) !== 0 && [bare, ...standsFor(bare, own)].some(listed)
  }
  const lookup = denyingLookup(denies, systemLookup)
  return { denies, lookup, resolve: (hostname) => resolveWith(lookup, hostname) }
}

/** Returns further addresses that are reached by connecting to `address`. */
function standsFor(address: string, own: ReadonlySet<string>): readonly string[] {
  if (own.has(address)) return ['127.0.0.1', '::1']
  // A connection to the unspecified address reaches this machine.
  if (address === '0.0.0.0') return ['127.0.0.1']
  if (!isIPv6(address)) return []
  const groups = expandIpv6(address)
  if (groups.every((group) => group === 0)) return ['::1', '127.0.0.1']
  const embedded = embeddedIpv4(groups)
  return embedded === undefined ? [] : [embedded, ...(own.has(embedded) ? ['127.0.0.1'] : [])]
}

function resolveWith(lookup: LookupFunction, hostname: string): Promise<string> {
  return new Promise((resolve, reject) => {
    lookup(hostname.replace(/^\[|\]$/g, ''), {}, (error, address) => {
      if (error !== null) reject(error)
      else if (typeof address === 'string') resolve(address)
      else reject(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }))
    })
  })
}

function denyingLookup(denies: (address: string) => boolean, systemLookup: LookupFunction): LookupFunction {
  // Connections that wait for one name get the same list, which is checked once.
  let checked: readonly LookupAddress[] = []
  let isDenied = false
  return (hostname, options, callback) => {
    systemLookup(hostname, { ...options, all: true }, (error, answer) => {
      const addresses = Array.isArray(answer) ? answer : []
      const [first] = addresses
      if (addresses !== checked) {
        isDenied = addresses.some(({ address }) => denies(address))
        checked = addresses
      }
      if (error !== null) callback(error, '')
      else if (isDenied) callback(deniedError(), '')
      else if (options.all === true) callback(null, addresses)
      else callback(null, first?.address ?? '', first?.family)
    })
  }
}

export function deniedError(): NodeJS.ErrnoException {
  return Object.assign(new Error('denied'), { code: 'UPSTREAM_DENIED' })
}

/** Returns the IPv4 address inside ::ffff:a.b.c.d (v4-mapped) and 64:ff9b::/96 (NAT64) forms. */
function embeddedIpv4(groups: readonly number[]): string | undefined {
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(':')
  if (prefix !== '0:0:0:0:0:ffff' && prefix !== '64:ff9b:0:0:0:0') return undefined
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function expandIpv6(address: string): readonly number[] {
  // The URL parser gives an address a single form, without dotted part or zone.
  const plain = new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1)
  const [head = '', tail] = plain.split('::')
  const parse = (part: string) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16)))
  const left = parse(head)
  const right = tail === undefined ? [] : parse(tail)
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right]
}
