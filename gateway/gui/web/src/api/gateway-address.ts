import type { Overview } from '@llm-gateway/gui-api'

/** Returns the gateway's address for callers on this browser's network. */
export function gatewayAddress(overview: Overview | undefined): string {
  if (overview === undefined) return ''
  const { scheme, port } = overview.gateway_address
  return `${scheme}://${location.hostname}:${port}`
}
