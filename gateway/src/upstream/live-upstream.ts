import type { Upstream } from './upstream.ts'

/** Settings of connections that may change while the gateway runs. */
export type ConnectionSettings = {
  /** The CIDRs of outbound_deny. */
  readonly denied: readonly string[]
  /** The PEM texts of tls.outbound.cert_files. */
  readonly certificates: readonly string[]
}

/** The milliseconds between two tries to build an upstream for changed settings. */
const RETRY_MS = 1_000

type LiveUpstreamOptions = {
  readonly readSettings: () => ConnectionSettings
  readonly build: (settings: ConnectionSettings) => Upstream
  /** Called where `build` has thrown for changed settings. */
  readonly onFailed: (error: unknown) => void
  readonly nowMs?: () => number
}

/**
 * Creates an upstream that follows its settings: after a change calls use new connections, so that no pooled connection
 * outlives a new rule. Running calls end on their old connections. Where no upstream can be built for changed settings,
 * without a free descriptor for example, the old one stays, and a later call tries again. Until then, calls are refused if
 * the old one would reach addresses that are denied now.
 */
export function createLiveUpstream(options: LiveUpstreamOptions): Upstream {
  const { readSettings, build, onFailed, nowMs = () => performance.now() } = options
  let { denied, certificates } = readSettings()
  let current = build({ denied, certificates })
  let triedMs = Number.NEGATIVE_INFINITY
  const closing = new Set<Promise<void>>()
  return {
    send(request, signal) {
      const settings = readSettings()
      follow(settings)
      // The lists differ here only while no upstream can be built.
      if (settings.denied !== denied && hasFurther(settings.denied, denied))
        return Promise.resolve({ kind: 'failed', code: 'UPSTREAM_DENIED' })
      return current.send(request, signal)
    },
    async close() {
      await Promise.all([current.close(), ...closing])
    },
  }

  function follow(next: ConnectionSettings): void {
    // Identity is compared first, since this runs for every call.
    if (next.denied === denied && next.certificates === certificates) return
    if (!same(next.denied, denied) || !same(next.certificates, certificates)) {
      const built = buildNext(next)
      if (built === undefined) return
      const closed = current.close().finally(() => closing.delete(closed))
      closing.add(closed)
      current = built
    }
    denied = next.denied
    certificates = next.certificates
  }

  function buildNext({ denied, certificates }: ConnectionSettings): Upstream | undefined {
    if (nowMs() - triedMs < RETRY_MS) return undefined
    try {
      const built = build({ denied, certificates })
      triedMs = Number.NEGATIVE_INFINITY
      return built
    } catch (error) {
      triedMs = nowMs()
      onFailed(error)
      return undefined
    }
  }
}

function hasFurther(ranges: readonly string[], known: readonly string[]): boolean {
  const each = new Set(known)
  return ranges.some((range) => !each.has(range))
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index])
}
