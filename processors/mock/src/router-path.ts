/** The key-value store takes keys up to so many bytes; no router anybody configures has a longer path. */
export const MAX_ROUTER_PATH_BYTES = 1_024

/** Whether a value is a router's path that can be recorded: text between slashes. */
export function isRouterPath(value: unknown): value is string {
  if (typeof value !== 'string' || !value.startsWith('/') || !value.endsWith('/')) return false
  return Buffer.byteLength(value) <= MAX_ROUTER_PATH_BYTES
}

/** The router a replay router stands for: `/pool/` for `/mock/pool/`, `/` for `/mock/`; undefined for no replay router. */
export function replayedRouter(routersPrefix: string, path: unknown): string | undefined {
  if (typeof path !== 'string' || !path.startsWith(`${routersPrefix}/`)) return undefined
  return path.slice(routersPrefix.length)
}
