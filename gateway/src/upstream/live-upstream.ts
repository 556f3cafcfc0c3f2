import type { Upstream } from './upstream.ts'

/** Settings that a gateway's connections are made with, and that may change while it runs. */
export type UpstreamInputs = {
  /** CIDRs of outbound_deny. */
  readonly denied: readonly string[]
  /** PEM texts of tls.outbound.cert_files. */
  readonly certificates: readonly string[]
}

/**
 * Connections that follow what they are made with: once an input differs, calls go over new ones, so that no pooled
 * connection outlives a new rule; those under way end where they began.
 */
export function createLiveUpstream(
  inputs: () => UpstreamInputs,
  build: (inputs: UpstreamInputs) => Upstream,
): Upstream {
  let { denied, certificates } = inputs()
  let current = build({ denied, certificates })
  const closing = new Set<Promise<void>>()
  return {
    send(request, signal) {
      follow(inputs())
      return current.send(request, signal)
    },
    async close() {
      await Promise.all([current.close(), ...closing])
    },
  }

  function follow(next: UpstreamInputs): void {
    // By identity first: this is asked for every call.
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
