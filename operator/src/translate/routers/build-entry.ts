import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../snapshot.ts'
import { byReason, type Problem } from '../problem.ts'
import { matchesHost } from '../variables/match-host.ts'
import { type Field, type ResolvedField, resolveField } from '../variables/resolve-field.ts'

/** An entry of gl_config.json's routers (wire, 1.1); keys in this order. */
export type RouterEntry =
  | { readonly path: string; readonly disabled: true }
  | {
      readonly path: string
      readonly internal?: true
      readonly ingress: { readonly headers: Headers }
      readonly outbound: { readonly url: string; readonly endpoint: string; readonly headers: Headers }
    }
type Headers = Readonly<Record<string, readonly string[]>>

export type BuiltEntry = {
  readonly entry: RouterEntry
  readonly values: ReadonlyMap<string, string>
  readonly sources: readonly string[]
  readonly problems: readonly Problem[]
}

/** A Router as the gateway's file has it, its references resolved. */
export function buildEntry(router: Router, snapshot: Snapshot, masked: ReadonlySet<string>): BuiltEntry {
  const { path, internal, ingress, outbound } = router.spec
  const seen: ResolvedField[] = []
  const resolve = (field: Field): ResolvedField => {
    const resolved = resolveField(field, router, snapshot)
    seen.push(resolved)
    return resolved
  }
  const headersOf = (at: string, headers: Headers = {}, destination?: Field['destination']): Headers =>
    Object.fromEntries(
      Object.entries(headers)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, values]) => [
          name,
          values.map((text, index) => {
            const field = { at: `${at}[${name}][${index}]`, text, masked: masked.has(name.toLowerCase()), destination }
            return resolve(field).written
          }),
        ]),
    )
  const url = resolve({ at: 'outbound.url', text: outbound.url, masked: false, destination: undefined })
  const destination = url.problems.length > 0 ? 'nowhere' : (URL.parse(url.resolved) ?? 'nowhere')
  const entry = {
    path,
    ...(internal ? { internal } : {}),
    ingress: { headers: headersOf('ingress.headers', ingress?.headers) },
    outbound: {
      url: url.written,
      endpoint: resolve({
        at: 'outbound.endpoint',
        text: outbound.endpoint ?? '',
        masked: false,
        destination: undefined,
      }).written,
      headers: headersOf('outbound.headers', outbound.headers, destination),
    },
  }
  const problems = [...seen.flatMap(({ problems }) => problems), ...addressProblems(destination, snapshot)]
  return {
    entry: problems.length > 0 ? { path, disabled: true } : entry,
    values: new Map(problems.length > 0 ? [] : seen.flatMap(({ values }) => values)),
    sources: seen.flatMap(({ sources }) => sources),
    problems: problems.toSorted(byReason),
  }
}

/** What the gateway's own check doesn't know of an address; whether it is one at all, that check says. */
function addressProblems(url: URL | 'nowhere', { gateway }: Snapshot): readonly Problem[] {
  if (url === 'nowhere' || !/^https?:$/.test(url.protocol)) return []
  const field = 'outbound.url'
  if (url.username !== '' || url.password !== '') {
    return [{ reason: 'InvalidUrl', field, detail: 'user-info may not stand in it' }]
  }
  const { hosts } = gateway.spec.allowedRouters
  if (hosts === undefined || hosts.some((host) => matchesHost(host, url, { forKey: false }))) return []
  return [{ reason: 'HostNotAllowed', field, detail: 'the gateway allows no calls to this host' }]
}
