import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import { namesDenied } from '../gateway/outbound-deny.ts'
import type { Problem } from '../problem.ts'
import { matchesHost } from '../variables/permit-key.ts'

type Address = {
  readonly url: URL
  readonly router: Router
  /** The hosts that Routers may call; undefined: any. */
  readonly hosts: readonly string[] | undefined
}

type AddressRule = (address: Address) => Problem | undefined

const RULES: readonly AddressRule[] = [withoutUserInfo, notToDenied, toAllowedHost, withoutHostHeader]

/**
 * Finds faults of an address that the gateway's own check doesn't know. That check tells whether the text is an
 * address.
 */
export function judgeAddress(router: Router, url: URL | undefined, { gateway }: Snapshot): readonly Problem[] {
  if (url === undefined || !/^https?:$/.test(url.protocol)) return []
  const address = { url, router, hosts: gateway.spec.allowedRouters.hosts }
  return RULES.flatMap((rule) => rule(address) ?? [])
}

/** User-info would be sent as a key, and tools would show it unmasked in the resource. */
function withoutUserInfo({ url }: Address): Problem | undefined {
  if (url.username === '' && url.password === '') return undefined
  return { reason: 'InvalidUrl', field: 'outbound.url', detail: 'a URL with a user name or password is refused' }
}

function notToDenied({ url }: Address): Problem | undefined {
  if (!namesDenied(url)) return undefined
  return {
    reason: 'HostNotAllowed',
    field: 'outbound.url',
    detail: 'loopback, link-local and metadata addresses are never called',
  }
}

function toAllowedHost({ url, hosts }: Address): Problem | undefined {
  if (hosts === undefined || hosts.some((host) => matchesHost(host, url, { forKey: false }))) return undefined
  return { reason: 'HostNotAllowed', field: 'outbound.url', detail: 'the gateway allows no calls to this host' }
}

/** An address may serve many hosts, and the Host header chooses between them. */
function withoutHostHeader({ router, hosts }: Address): Problem | undefined {
  const name = Object.keys(router.spec.outbound.headers ?? {}).find((header) => header.toLowerCase() === 'host')
  if (hosts === undefined || name === undefined) return undefined
  return {
    reason: 'HostNotAllowed',
    field: `outbound.headers[${name}]`,
    detail: 'a Host header is refused, since the gateway limits the hosts that Routers may call',
  }
}
