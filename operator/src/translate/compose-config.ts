import { createHash } from 'node:crypto'
import { checkGlConfig } from '@llm-gateway/conf'
import { byReason, type Problem } from './problem.ts'
import type { BuiltEntry, RouterEntry } from './routers/build-entry.ts'

/** gl_config.json as text, and what the gateway will say of it. */
export type ComposedConfig = {
  readonly text: string
  /** `sha256:<hex>` of the text (wire, 1.1). */
  readonly digest: string
  readonly values: ReadonlyMap<string, string>
  /** Router path → SHA-256 of its entry, hex. */
  readonly entries: ReadonlyMap<string, string>
  /** Router path → why it is only held. */
  readonly problems: ReadonlyMap<string, readonly Problem[]>
}

/** Joins settings and entries. What the gateway would reject is found by the gateway's own check and only holds its path. */
export function composeConfig(settings: object, built: readonly BuiltEntry[]): ComposedConfig {
  const sorted = built.toSorted((a, b) => (a.entry.path < b.entry.path ? -1 : 1))
  const rejected = rejectedBy(settings, sorted)
  const judged = sorted.map((one, index) => {
    const problems = [...one.problems, ...(rejected.get(index) ?? [])].sort(byReason)
    return problems.length === 0 ? one : { ...one, entry: heldEntry(one.entry.path), values: new Map(), problems }
  })
  const entries = judged.map(({ entry }) => entry)
  const text = JSON.stringify({ ...settings, routers: entries })
  return {
    text,
    digest: `sha256:${sha256(text)}`,
    values: new Map(judged.flatMap(({ values }) => [...values]).sort(([a], [b]) => (a < b ? -1 : 1))),
    entries: new Map(entries.map((entry) => [entry.path, sha256(JSON.stringify(entry))])),
    problems: new Map(judged.map(({ entry, problems }) => [entry.path, problems])),
  }
}

function heldEntry(path: string): RouterEntry {
  return { path, disabled: true }
}

function rejectedBy(settings: object, built: readonly BuiltEntry[]): ReadonlyMap<number, readonly Problem[]> {
  const file = Buffer.from(JSON.stringify({ ...settings, routers: built.map(({ entry }) => entry) }))
  const secrets = new Map(built.flatMap(({ values }) => [...values]))
  const verdict = checkGlConfig(file, { environment: {}, secrets })
  if (verdict.kind !== 'checked') throw new Error('a composed gl_config.json is valid', { cause: verdict })
  const problems = new Map<number, Problem[]>()
  for (const [path, reason] of Object.entries(verdict.config.rejectedFields)) {
    const [, index = '', field = ''] = REJECTED.exec(path) ?? []
    const list = problems.get(Number(index)) ?? []
    list.push(problemOf(field.toLowerCase().startsWith('outbound.url') ? 'outbound.url' : decapitalized(field), reason))
    problems.set(Number(index), list)
  }
  return problems
}

const REJECTED = /^gl_config\.Routers\[(\d+)\]\.Router\.(.*)$/

/** `Outbound.Headers[Api-Key][0]` → `outbound.headers[Api-Key][0]`. */
function decapitalized(field: string): string {
  return field.replace(/^\w+(\.\w+)?/, (words) => words.toLowerCase())
}

function problemOf(field: string, reason: string): Problem {
  if (reason === 'required:') return { reason: 'EmptyValue', field, detail: 'it has no value' }
  if (field === 'outbound.url') return { reason: 'InvalidUrl', field, detail: 'it is no http(s) address' }
  const detail = reason === 'ascii:' ? 'a value can be no header: visible ASCII and spaces only' : 'it is not valid'
  return { reason: 'InvalidValue', field, detail }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
