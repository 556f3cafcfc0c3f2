import { hash } from 'node:crypto'
import { checkRouters, type FieldPath, inactiveRouterSize, type RejectedField } from '@llm-gateway/conf'
import { byReason, type Problem } from '../problem.ts'
import type { Steps } from '../steps.ts'
import { type BuiltEntry, type EntryLimit, heldEntry } from './build-entry.ts'

/** An entry as the file has it. */
export type Seal = {
  readonly path: string
  /** The namespace of the built entry. */
  readonly tenant: string | undefined
  /** The entry's JSON. */
  readonly text: string
  /** SHA-256 of the text, hex. */
  readonly hash: string
  /** The entry's part in the size of all routers, which the gateway bounds. */
  readonly size: number
  readonly values: readonly (readonly [name: string, text: string])[]
  /** The reasons why the entry only holds its path. */
  readonly problems: readonly Problem[]
  readonly readFailures: readonly Problem[]
  readonly tooLarge: EntryLimit | undefined
  /** True for an entry of the live file. */
  readonly kept: boolean
}

/** An entry, judged by the gateway's own check, and its form in a file without room for it. */
export type SealedEntry = Seal & {
  /** The entry out of action: it answers 404 and needs no values. */
  readonly held: Seal
}

/** Built entry → sealed entry. */
export type SealMemory = Pick<WeakMap<BuiltEntry, SealedEntry>, 'get' | 'set'>

/** The check of so many characters is one step. The check itself takes files of up to 64 MiB. */
const CHECKED_AT_ONCE_CHARACTERS = 64 * 1024

/** Seals entries, in the order of `built`. An entry that the gateway's own check rejects only holds its path. */
export function* sealEntries(built: readonly BuiltEntry[], memory: SealMemory): Steps<readonly SealedEntry[]> {
  for (const chunk of chunksOf(built.filter((entry) => memory.get(entry) === undefined))) {
    const { rejected, sizes } = judge(chunk)
    for (const [index, one] of chunk.entries()) {
      memory.set(one, seal(one, { rejected: rejected.get(index) ?? [], size: sizes[index] ?? 0 }))
    }
    yield
  }
  return built.flatMap((entry) => memory.get(entry) ?? [])
}

function* chunksOf(built: readonly BuiltEntry[]): Generator<readonly BuiltEntry[]> {
  let chunk: BuiltEntry[] = []
  let characters = 0
  for (const one of built) {
    const own = JSON.stringify(one.entry).length
    characters += own
    if (characters > CHECKED_AT_ONCE_CHARACTERS && chunk.length > 0) {
      yield chunk
      chunk = []
      characters = own
    }
    chunk.push(one)
  }
  if (chunk.length > 0) yield chunk
}

function seal(
  { entry, tenant, values, problems, readFailures = [], tooLarge, kept = false }: BuiltEntry,
  { rejected, size }: { readonly rejected: readonly Problem[]; readonly size: number },
): SealedEntry {
  const all = [...problems, ...rejected].sort(byReason)
  const { path } = entry
  const own = { path, tenant, readFailures, tooLarge, kept, problems: all }
  const held = { ...own, ...textOf(heldEntry(path)), size: inactiveRouterSize(path), values: [] }
  return all.length === 0 ? { ...own, ...textOf(entry), size, values: [...values], held } : { ...held, held }
}

function textOf(entry: BuiltEntry['entry']): Pick<Seal, 'text' | 'hash'> {
  const text = JSON.stringify(entry)
  return { text, hash: hash('sha256', text) }
}

type Judgement = {
  /** Index → the problems that the gateway's check finds. */
  readonly rejected: ReadonlyMap<number, readonly Problem[]>
  readonly sizes: readonly number[]
}

function judge(built: readonly BuiltEntry[]): Judgement {
  const entries = built.map(({ entry }) => entry)
  const secrets = new Map(built.flatMap(({ values }) => [...values]))
  const { rejections, sizes, tooLarge } = checkRouters(entries, { environment: {}, secrets })
  if (tooLarge) throw new Error('the entries of one chunk are larger than a file may be')
  return { rejected: new Map([...rejections].map(([index, fields]) => [index, fields.map(problemOf)])), sizes }
}

function problemOf({ path, reason }: RejectedField): Problem {
  const field = shownField(path)
  if (reason === 'required:') return { reason: 'EmptyValue', field, detail: 'the value is empty' }
  const [part, key] = path
  if (part === 'outbound' && key === 'url')
    return { reason: 'InvalidUrl', field, detail: 'the value is not an http(s) address' }
  return { reason: 'InvalidValue', field, detail: detailOf(path, reason) }
}

/** Returns a text such as `outbound.headers[Api-Key][0]`. */
function shownField(path: FieldPath): string {
  const keys = path.slice(2).map((key) => `[${key}]`)
  return [path.slice(0, 2).join('.'), ...keys].join('')
}

/** The reason `router:` has a meaning only together with the field. */
function detailOf([part, key, header]: FieldPath, reason: string): string {
  if (part === 'path') return 'only letters, digits and _ - . ~ may stand between slashes, and neither . nor .. alone'
  if (reason === 'router:' && key === 'headers' && header !== undefined) return HEADER
  return DETAILS.get(reason) ?? 'the value is not valid'
}

const HEADER = 'a header of this name can not be set, or is set twice'
const DETAILS: ReadonlyMap<string, string> = new Map([
  ['ascii:', 'a header value may hold visible ASCII and spaces only'],
  ['endpoint:', 'the value is not a path with a query'],
])
