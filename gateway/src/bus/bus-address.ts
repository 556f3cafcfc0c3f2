/** As logs show it and clients take it: `host:port`, an IPv6 address in brackets. */
export function addressText({ hostname, port }: { readonly hostname: string; readonly port: number }): string {
  return hostname.includes(':') ? `[${hostname}]:${port}` : `${hostname}:${port}`
}
