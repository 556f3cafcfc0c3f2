import { BlockList, isIP, isIPv6 } from 'node:net'

/**
 * Addresses that no call may connect to, whatever a name resolves to: the machine's own and link-local addresses, and
 * addresses at which clouds serve names, time and credentials (docs/reference/kubernetes.md#trust).
 */
export const OUTBOUND_DENY: readonly string[] = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '::/128',
  '::1/128',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fe80::/10',
  'fd00:ec2::/64',
  'fd20:ce::/64',
]

const denied = blockListOf(OUTBOUND_DENY)

/**
 * Returns whether a URL holds one of these addresses itself, so that the Router's author learns of it before the first
 * call. Host names are judged when a call connects: Routers that are never called, such as those of pools, may name
 * https://localhost.
 */
export function namesDenied({ hostname }: URL): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, '$1')
  const version = isIP(address)
  return version !== 0 && denied.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

function blockListOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList()
  for (const cidr of cidrs) {
    const [address = '', prefix] = cidr.split('/')
    list.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return list
}
