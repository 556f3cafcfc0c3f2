const GROUPS = 8
/** The groups of an IPv6 address that name a subnet, whose callers choose the others at will. */
const GROUPS_OF_NETWORK = 4

/**
 * Returns the network of a caller's address: the address of IPv4, also in its IPv6 form, or the first 64 bits of IPv6.
 * Empty for a connection that has closed.
 */
export function callerNetwork(address = ''): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [before = [], after = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = Array.from({ length: GROUPS - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].slice(0, GROUPS_OF_NETWORK).join(':')
}
