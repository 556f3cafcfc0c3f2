/** The longest key of the key-value store; configured routers have shorter paths. */
export const MAX_ROUTER_PATH_BYTES = 1_024

/** Returns whether a value is a router's path that can be recorded: text between slashes. */
export function isRouterPath(value: unknown): value is string {
  if (typeof value !== 'string' || !value.startsWith('/') || !value.endsWith('/')) return false
  return Buffer.byteLength(value) <= MAX_ROUTER_PATH_BYTES
}

/**
 * Returns the router that a replay router replays: `/pool/` for `/mock/pool/`, `/` for `/mock/`; undefined for other
 * routers.
 */
export function replayedRouter(routersPrefix: string, path: unknown): string | undefined {
  if (typeof path !== 'string' || !path.startsWith(`${routersPrefix}/`)) return undefined
  return path.slice(routersPrefix.length)
}
