import type { Secret } from '../config/secret.ts'

/** Where the bus is and how it lets us in. */
export type BusPlace = {
  readonly hostname: string
  readonly port: number
  readonly token?: Secret
  /** In place of a token. */
  readonly user?: { readonly name: string; readonly password: Secret }
  /** Present = TLS; paths of PEM files, read anew at every connection. */
  readonly tls?: TlsFiles
}

export type TlsFiles = { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string }

/** As logs show it and clients take it: `host:port`, an IPv6 address in brackets. */
export function addressText({ hostname, port }: { readonly hostname: string; readonly port: number }): string {
  return hostname.includes(':') ? `[${hostname}]:${port}` : `${hostname}:${port}`
}
