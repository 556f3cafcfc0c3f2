import type { Overview } from '@llm-gateway/gui-api'

/** Where callers reach the gateway, seen from this browser. */
export function gatewayAddress(overview: Overview | undefined): string {
  if (overview === undefined) return ''
  const { scheme, port } = overview.gateway_address
  return `${scheme}://${location.hostname}:${port}`
}
