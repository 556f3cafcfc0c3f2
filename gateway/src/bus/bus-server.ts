import type { Secret } from '../config/secret.ts'

/** The bus's address and credentials. */
export type BusServer = {
  readonly hostname: string
  readonly port: number
  readonly token?: Secret
  /** Replaces the token. */
  readonly user?: { readonly name: string; readonly password: Secret }
  /** Turns TLS on; paths of PEM files, read again for every connection. */
  readonly tls?: TlsFiles
}

export type TlsFiles = { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string }

/** Returns `host:port` for logs and clients, with an IPv6 address in brackets. */
export function addressText({ hostname, port }: { readonly hostname: string; readonly port: number }): string {
  return hostname.includes(':') ? `[${hostname}]:${port}` : `${hostname}:${port}`
}
