import { BlockList, isIP, isIPv6 } from 'node:net'

/** A target; IPv6 `hostname` with or without brackets, `port` '' for the protocol's default. */
export type ProxyTarget = { readonly protocol: string; readonly hostname: string; readonly port: string }

/** Returns the proxy for connections to a target, undefined for none. */
export type ProxyChoice = (target: ProxyTarget) => URL | undefined

export type ProxyVariables = Readonly<Record<string, string | undefined>>

/**
 * Reads HTTPS_PROXY and NO_PROXY as curl does: lower-case names win, and upper-case HTTP_PROXY is ignored, since a CGI
 * server would let a caller set it. NO_PROXY has `*`, names (with subdomains), addresses and CIDRs, each with an
 * optional `:port`. Throws PROXY_UNSUPPORTED for a proxy that is neither http nor https; returns undefined without a
 * proxy.
 */
export function createProxyChoice(variables: ProxyVariables): ProxyChoice | undefined {
  const http = proxyUrl(variables.http_proxy)
  const https = proxyUrl(variables.https_proxy || variables.HTTPS_PROXY)
  if (http === undefined && https === undefined) return undefined
  const exceptions = (variables.no_proxy || variables.NO_PROXY || '').split(/[,\s]+/).filter((entry) => entry !== '')
  const excepted = exceptions.map(exception)
  return (target) => {
    const proxy = target.protocol === 'https:' ? https : http
    if (proxy === undefined) return undefined
    const hostname = target.hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase()
    const port = target.port || (target.protocol === 'https:' ? '443' : '80')
    return excepted.some((matches) => matches(hostname, port)) ? undefined : proxy
  }
}

function proxyUrl(text: string | undefined): URL | undefined {
  if (!text) return undefined
  const written = text.includes('://') ? text : `http://${text}`
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw Object.assign(new Error('the proxy is neither http nor https'), { code: 'PROXY_UNSUPPORTED' })
}

type Matches = (hostname: string, port: string) => boolean

function exception(entry: string): Matches {
  const { host, port } = splitPort(entry.toLowerCase())
  const matchesHost = hostMatcher(host)
  return (hostname, asked) => (port === '' || port === asked) && matchesHost(hostname)
}

function splitPort(entry: string): { readonly host: string; readonly port: string } {
  const bracketed = /^\[(.+)\](?::(\d+))?$/.exec(entry)
  if (bracketed !== null) return { host: bracketed[1] ?? '', port: bracketed[2] ?? '' }
  const named = /^([^:]+):(\d+)$/.exec(entry)
  return named === null ? { host: entry, port: '' } : { host: named[1] ?? '', port: named[2] ?? '' }
}

function hostMatcher(host: string): (hostname: string) => boolean {
  if (host === '*') return () => true
  const [address = '', prefix] = host.split('/')
  if (isIP(address) !== 0 && prefix !== undefined) return subnetMatcher(address, Number(prefix))
  const name = host.replace(/^\*?\./, '').replace(/\.$/, '')
  return (hostname) => hostname === name || hostname.endsWith(`.${name}`)
}

function subnetMatcher(address: string, prefix: number): (hostname: string) => boolean {
  const bits = isIPv6(address) ? 128 : 32
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > bits) return () => false
  const list = new BlockList()
  list.addSubnet(address, prefix, familyOf(address))
  return (hostname) => isIP(hostname) !== 0 && list.check(hostname, familyOf(hostname))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}
