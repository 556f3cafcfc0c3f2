import type { Router } from '@llm-gateway/crds'
import type { EntryHeaders, RouterEntry, Snapshot } from '../../model/snapshot.ts'
import { byReason, type Problem } from '../problem.ts'
import type { Destination } from '../variables/permit-key.ts'
import { MAX_ENTRY_CHARACTERS, resolveField } from '../variables/resolve-field.ts'
import { type ReferenceResolver, referenceResolver } from '../variables/resolve-reference.ts'
import { namesIn } from '../variables/split-references.ts'
import type { ResolvedText } from '../variables/write-literal.ts'
import { judgeAddress } from './judge-address.ts'
import { hasRoom } from './no-room.ts'

export type BuiltEntry = {
  readonly entry: RouterEntry
  /** The namespace whose share of a full file the entry takes; unset for the gateway's own. */
  readonly tenant?: string
  readonly values: ReadonlyMap<string, string>
  /** Scheme, host and port to which calls go; unset where the address has no value. */
  readonly origin?: string
  readonly sources: readonly string[]
  /** The reasons why the entry only holds its path. */
  readonly problems: readonly Problem[]
  /** Sources that couldn't be read this time; the last entry stays in use. */
  readonly readFailures?: readonly Problem[]
  /** True for an entry of the live file, or of sources that have changed since. Its values may be older than those of other entries. */
  readonly kept?: boolean
  /** The limit that the Router exceeds, because of which its entry only holds its path. */
  readonly tooLarge?: EntryLimit
}

/** The limits of a Router: the characters of its texts with their values, its references, and its namespace's room. */
export type EntryLimit = 'characters' | 'references' | 'room'

/**
 * The most references of a Router, repeated ones included; usual Routers have some five. Each reference is longer in
 * the gateway's file and is expanded there by every pod.
 */
export const MAX_REFERENCES = 256

/**
 * Asks for a header with any value (docs/reference/configuration-rules.md#routers-in-the-file). The gateway compares
 * this text as it is written, so it never becomes a reference.
 */
const ANY_VALUE = 'regex:.+'

/** Makes the entry of a Router for the gateway's file. References are resolved unless the Router is too large. */
export function buildEntry(router: Router, snapshot: Snapshot, masked: ReadonlySet<string>): BuiltEntry {
  const { namespace } = router.metadata
  const tenant = namespace === snapshot.gateway.metadata.namespace ? {} : { tenant: namespace }
  const { path, ingress, outbound } = router.spec
  const held = { entry: heldEntry(path), ...tenant, values: new Map(), problems: [] }
  const large = (tooLarge: EntryLimit, sources: readonly string[] = []) => ({ ...held, sources, tooLarge })
  if (!hasRoom(router)) return large('room')
  const text = JSON.stringify([ingress, outbound])
  if (text.length > MAX_ENTRY_CHARACTERS) return large('characters')
  // Only a text with so many marks is split.
  const isFull = text.split('${').length > MAX_REFERENCES + 1
  if (isFull && namesIn([ingress, outbound]).length > MAX_REFERENCES) return large('references')
  const { characters, ...built } = resolveEntry(router, snapshot, masked)
  return characters > MAX_ENTRY_CHARACTERS ? large('characters', built.sources) : { ...built, ...tenant }
}

type ResolvedEntry = BuiltEntry & { readonly characters: number }

function resolveEntry(router: Router, snapshot: Snapshot, masked: ReadonlySet<string>): ResolvedEntry {
  const { path, internal, ingress = {}, outbound } = router.spec
  const references = referenceResolver(router, snapshot)
  const url = resolveUrl(router, references)
  const seen: ResolvedText[] = [url]
  const resolve = (field: Parameters<typeof resolveField>[0]): string => {
    const resolved = resolveField(field, router, references)
    seen.push(resolved)
    return resolved.written
  }
  const headers = (at: string, given: EntryHeaders | undefined, destination: Destination): EntryHeaders =>
    Object.fromEntries(
      Object.entries(given ?? {})
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, values]) => [
          name,
          at === 'ingress.headers' && values.length === 1 && values[0] === ANY_VALUE
            ? values
            : values.map((text, index) => {
                const isMasked = masked.has(name.toLowerCase())
                return resolve({ at: `${at}[${name}][${index}]`, text, masked: isMasked, destination })
              }),
        ]),
    )
  const entry = {
    path,
    ...(internal ? { internal } : {}),
    ingress: { headers: headers('ingress.headers', ingress.headers, ELSEWHERE) },
    outbound: {
      url: url.written,
      endpoint: resolve({
        at: 'outbound.endpoint',
        text: outbound.endpoint ?? '',
        masked: false,
        destination: ELSEWHERE,
      }),
      headers: headers('outbound.headers', outbound.headers, destinationOf(router, url.url)),
    },
  }
  const problems = [...seen.flatMap((part) => part.problems), ...judgeAddress(router, url.url, snapshot)]
  return {
    entry: problems.length > 0 ? heldEntry(path) : entry,
    characters: seen.reduce((sum, one) => sum + one.characters, 0),
    ...(url.url === undefined ? {} : { origin: url.url.origin }),
    values: new Map(problems.length > 0 ? [] : seen.flatMap(({ values }) => values)),
    sources: [...new Set(seen.flatMap(({ sources }) => sources))],
    problems: problems.toSorted(byReason),
    readFailures: seen.flatMap(({ readFailures }) => readFailures).toSorted(byReason),
  }
}

/**
 * Makes an entry that answers 404, so that its callers never reach the shorter path of another Router
 * (docs/reference/kubernetes.md#paths).
 */
export function heldEntry(path: string): RouterEntry {
  return { path, disabled: true }
}

/** Returns whether an entry only holds its path because sources couldn't be read. */
export function isUnread({ problems }: BuiltEntry): boolean {
  return problems.length > 0 && problems.every(({ reason }) => reason === 'ReadFailed')
}

/** Returns whether calls go to the address of an entry. */
export function works({ entry }: BuiltEntry): boolean {
  return !('disabled' in entry)
}

const ELSEWHERE: Destination = { kind: 'elsewhere' }

function destinationOf({ spec }: Router, url: URL | undefined): Destination {
  return url === undefined ? { kind: 'nowhere' } : { kind: 'sent', url, hostHeader: hasHostHeader(spec) }
}

function hasHostHeader({ outbound }: Router['spec']): boolean {
  return Object.keys(outbound.headers ?? {}).some((name) => name.toLowerCase() === 'host')
}

type ResolvedUrl = ResolvedText & {
  /** undefined: the text is no URL, or a reference has no value. */
  readonly url: URL | undefined
}

/** Resolves a Router's outbound.url. Values that decide where the URL leads are bound to the origin that was judged. */
function resolveUrl(router: Router, references: ReferenceResolver): ResolvedUrl {
  const field = {
    at: 'outbound.url',
    text: router.spec.outbound.url,
    masked: false,
    destination: { kind: 'elsewhere' },
  } as const
  const loose = resolveField(field, router, references)
  const url = loose.problems.length > 0 ? undefined : (URL.parse(loose.resolved) ?? undefined)
  if (url === undefined) return { ...loose, url }
  return { ...resolveField({ ...field, origin: url.origin }, router, references), url }
}
