import type { Upstream } from './upstream.ts'

/** Settings of connections that may change while the gateway runs. */
export type ConnectionSettings = {
  /** The CIDRs of outbound_deny. */
  readonly denied: readonly string[]
  /** The PEM texts of tls.outbound.cert_files. */
  readonly certificates: readonly string[]
}

/**
 * Creates an upstream that follows its settings: after a change calls use new connections, so that no pooled connection
 * outlives a new rule. Running calls end on their old connections.
 */
export function createLiveUpstream(
  readSettings: () => ConnectionSettings,
  build: (settings: ConnectionSettings) => Upstream,
): Upstream {
  let { denied, certificates } = readSettings()
  let current = build({ denied, certificates })
  const closing = new Set<Promise<void>>()
  return {
    send(request, signal) {
      follow(readSettings())
      return current.send(request, signal)
    },
    async close() {
      await Promise.all([current.close(), ...closing])
    },
  }

  function follow(next: ConnectionSettings): void {
    // Identity is compared first, since this runs for every call.
    if (next.denied === denied && next.certificates === certificates) return
    const differs = !same(next.denied, denied) || !same(next.certificates, certificates)
    denied = next.denied
    certificates = next.certificates
    if (!differs) return
    const closed = current.close().finally(() => closing.delete(closed))
    closing.add(closed)
    current = build({ denied, certificates })
  }
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index])
}
