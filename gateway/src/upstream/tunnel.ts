import type { ClientRequest } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { basicAuthorization } from '../http/basic-authorization.ts'
import { nodeHttp } from '../http/node-http.ts'
import { sharedLookup } from './shared-lookup.ts'

export type TunnelOptions = {
  /** Gets the request, which opens no tunnel once it is destroyed. */
  readonly follow: (request: ClientRequest) => void
  /** The TLS settings for a connection to an https proxy. */
  readonly tls: { readonly rejectUnauthorized: boolean; readonly secureContext: SecureContext }
}

/**
 * Opens a connection to `authority` (`host:port`) through a proxy's CONNECT (RFC 9110, 9.3.6). Rejects with the
 * connection's error, UPSTREAM_REFUSED where the proxy refuses, or UPSTREAM_PROTOCOL where bytes follow its
 * answer.
 */
export function openTunnel(proxy: URL, authority: string, options: TunnelOptions): Promise<Socket> {
  const authorization = basicAuthorization(proxy)
  return new Promise((resolve, reject) => {
    const request = (proxy.protocol === 'https:' ? requestHttps : nodeHttp.request)({
      host: proxy.hostname.replace(/^\[|\]$/g, ''),
      port: proxy.port || undefined,
      method: 'CONNECT',
      path: authority,
      headers: { Host: authority, ...(authorization && { 'Proxy-Authorization': authorization }) },
      agent: false,
      lookup: sharedLookup,
      ...options.tls,
    })
    request.on('connect', (response, socket, head) => {
      if (response.statusCode !== 200) {
        socket.destroy()
        return reject(coded('UPSTREAM_REFUSED'))
      }
      // The bytes behind the proxy's answer would become the answer to a request that hasn't been sent.
      if (head.length > 0) {
        socket.destroy()
        return reject(coded('UPSTREAM_PROTOCOL'))
      }
      resolve(socket)
    })
    // The proxy answered CONNECT with an ordinary response.
    request.on('response', (response) => {
      response.destroy()
      reject(coded('UPSTREAM_REFUSED'))
    })
    request.on('error', reject)
    options.follow(request)
    request.end()
  })
}

function coded(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code })
}
