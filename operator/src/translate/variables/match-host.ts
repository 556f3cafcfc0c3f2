/** `host`, `host:port`, `*.host` or one of these after `http://`, in lower case (docs/reference/kubernetes.md#variables). */
const ENTRY = /^(http:\/\/)?(\*\.)?([^:/]+)(?::(\d+))?$/

/** Whether an entry names the host and port of a url; a key goes to https only, unless the entry itself says `http://`. */
export function matchesHost(entry: string, url: URL, options: { readonly forKey: boolean }): boolean {
  const [, plain, wildcard, host = '', port] = ENTRY.exec(entry) ?? []
  if (host === '') return false
  if (options.forKey && url.protocol !== 'https:' && plain === undefined) return false
  if (plain !== undefined && url.protocol !== 'http:') return false
  if (portOf(url) !== (port ?? (plain === undefined ? '443' : '80'))) return false
  const hostname = url.hostname.toLowerCase()
  if (wildcard === undefined) return hostname === host
  const dot = hostname.indexOf('.')
  // One label, as in certificates: who may name *.example.com can't be sent to a.b.example.com.
  return dot > 0 && hostname.slice(dot + 1) === host
}

function portOf({ port, protocol }: URL): string {
  if (port !== '') return port
  return protocol === 'https:' ? '443' : '80'
}
