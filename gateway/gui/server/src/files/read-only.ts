import type { FailedField, FieldPath, FileName } from '@llm-gateway/gui-api'
import type { KnownFile } from './known-files.ts'
import { natsParts } from './nats-text.ts'

const SERVICE = ['name', 'file', 'config_command', 'validate_command', 'configuration_file', 'additional_arguments']
const MESSAGE =
  'This can only be changed in the file on the machine: it says what runs there and where files are written.'
/** Keys of nats-server.conf that name files it reads in or writes. */
const NATS_KEYS: ReadonlySet<string> = new Set([
  'include',
  'log_file',
  'logfile',
  'pid_file',
  'pidfile',
  'ports_file_dir',
  'store',
  'store_dir',
  'storedir',
  'local_store',
  'dir',
  'resolver',
])
const NATS_WORD = /\b(?:include|log_?file|pid_?file|ports_file_dir|store|store_?dir|local_store|dir|resolver)\b/gi

const PATTERNS: ReadonlyMap<FileName, readonly FieldPath[]> = new Map([
  ['gl_config.json', [['spool', 'directory']]],
  ['gui_config.json', [['secret'], ['working_directory'], ['archive_directory'], ['kubernetes'], ...servicePatterns()]],
  ['ginit_config.json', servicePatterns()],
  ['nats2file_config.json', [['file_writer', 'filename']]],
  ['nats2log_config.json', [['file_writer', 'filename']]],
])

/** Where the page must not write: whoever knows its password must not get a shell by it. */
export function readOnlyPaths(name: FileName): readonly FieldPath[] {
  return PATTERNS.get(name) ?? []
}

/** What of those a new text changes. */
export function readOnlyChanges(file: KnownFile, live: string, next: string): readonly FailedField[] {
  if (file.kind === 'nats') return natsChanges(live, next)
  const [before, after] = [parsed(live), parsed(next)]
  const fields = readOnlyPaths(file.name).flatMap((pattern) => changesAt({ pattern, before, after, path: [] }))
  const first = new Map(fields.map((path) => [JSON.stringify(path), path]))
  return [...first.values()].map((path) => ({ path, message: MESSAGE }))
}

function servicePatterns(): readonly FieldPath[] {
  return SERVICE.map((key) => ['services', '*', key])
}

type Compared = {
  readonly pattern: FieldPath
  readonly before: unknown
  readonly after: unknown
  readonly path: FieldPath
}

/** An entry more or less of `services` is a change of it, their order is none: `*` compares entries of one name. */
function changesAt({ pattern, before, after, path }: Compared): readonly FieldPath[] {
  const [key, ...rest] = pattern
  if (key === undefined) return JSON.stringify(before) === JSON.stringify(after) ? [] : [path]
  if (key !== '*') {
    const [one, other] = [memberOf(before, key), memberOf(after, key)]
    return changesAt({ pattern: rest, before: one, after: other, path: [...path, key] })
  }
  const [old, now] = [before, after].map((list) => (Array.isArray(list) ? list : []))
  if (old === undefined || now === undefined || old.length !== now.length) return [path]
  return now.flatMap((entry, index) => {
    const same = old.filter((other) => memberOf(other, 'name') === memberOf(entry, 'name'))
    const place = [...path, index]
    return same.length === 1 ? changesAt({ pattern: rest, before: same[0], after: entry, path: place }) : [place]
  })
}

function memberOf(value: unknown, key: string | number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return new Map<string | number, unknown>(Object.entries(value)).get(key)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // A live file that is no JSON has no services; whatever is put in its place has none either.
  }
}

/** The bus might read a text in another way than we do, so no such word may be added anywhere, in comments neither. */
function natsChanges(live: string, next: string): readonly FailedField[] {
  const named = (text: string): string =>
    JSON.stringify(natsParts(text).values.flatMap(({ key, written }) => (NATS_KEYS.has(key) ? [[key, written]] : [])))
  const words = (text: string) => Map.groupBy([...text.matchAll(NATS_WORD)], ([word]) => word.toLowerCase())
  const [before, after] = [words(live), words(next)]
  const isAdded = [...after].some(([word, found]) => found.length > (before.get(word)?.length ?? 0))
  return isAdded || named(live) !== named(next) ? [{ path: [], message: MESSAGE }] : []
}
