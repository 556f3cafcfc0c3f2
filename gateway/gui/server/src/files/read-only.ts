import type { FailedField, FieldPath, FileName } from '@llm-gateway/gui-api'
import type { KnownFile } from './known-files.ts'
import { type NatsValue, natsParts } from './nats-text.ts'

/** The message of a refused edit. */
export const READ_ONLY_FIELDS =
  'These fields cannot be changed in the web interface, only in the file on the machine of the gateway.'

const SERVICE = ['name', 'file', 'config_command', 'validate_command', 'configuration_file', 'additional_arguments']
const MESSAGE =
  'This field can only be changed in the file on the machine of the gateway, because it decides which programs run, where files are written or which certificates are trusted.'
/** Keys of nats-server.conf that name files the bus reads or writes. */
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
/** Keys that connect the bus to other servers, and the secrets it could send there. */
const NATS_REACH = 'cluster|routes|gateways?|leaf(?:nodes?)?|remotes|NATS_TOKEN|GUI_SECRET'
const NATS_WORD = new RegExp(
  `(?<![a-z_])(?:include|log_?file|pid_?file|ports_file_dir|store|store_?dir|local_store|dir|resolver|${NATS_REACH})(?![a-z_])`,
  'gi',
)
const REACHED: ReadonlySet<string> = new Set(['routes', 'remotes', 'gateways', 'url', 'urls'])
const SECRET_REFERENCE = /NATS_TOKEN|GUI_SECRET/i

/** Fields that decide where NATS_TOKEN is sent and which hosts reach the admin port, which needs no key. */
const EVERYWHERE: readonly FieldPath[] = [['service_bus', 'hostname'], ['service_bus', 'tls'], ['admin_host']]
const PATTERNS: ReadonlyMap<FileName, readonly FieldPath[]> = new Map([
  ['gl_config.json', [['spool', 'directory'], ...EVERYWHERE]],
  [
    'gui_config.json',
    [['secret'], ['working_directory'], ['archive_directory'], ['kubernetes'], ...servicePatterns(), ...EVERYWHERE],
  ],
  ['ginit_config.json', servicePatterns()],
  ['nats2file_config.json', [['file_writer', 'filename'], ...EVERYWHERE]],
  ['nats2log_config.json', [['file_writer', 'filename'], ...EVERYWHERE]],
  ['tokencounter_config.json', EVERYWHERE],
])

/** Returns the fields that the page must not change: the page's password must not give a shell. */
export function readOnlyPaths(name: FileName): readonly FieldPath[] {
  return PATTERNS.get(name) ?? []
}

/** Returns the read-only fields that a new text would change. */
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

type FieldComparison = {
  readonly pattern: FieldPath
  readonly before: unknown
  readonly after: unknown
  readonly path: FieldPath
}

/**
 * Finds changed fields. `*` compares entries of the same name, so their order may change; an added or removed entry is
 * a change of the list.
 */
function changesAt({ pattern, before, after, path }: FieldComparison): readonly FieldPath[] {
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
    return undefined // A live file that is not JSON has no services, and its replacement may have none either.
  }
}

/**
 * Finds changes in nats-server.conf. The bus may read the text differently, so reserved words may not be added
 * anywhere, not even in comments.
 */
function natsChanges(live: string, next: string): readonly FailedField[] {
  const values = (text: string, isHeld: (value: NatsValue) => boolean) =>
    natsParts(text).values.flatMap((value) => (isHeld(value) ? [JSON.stringify([value.key, value.written])] : []))
  const words = (text: string) => [...text.matchAll(NATS_WORD)].map(([word]) => word.toLowerCase())
  const written = ({ key }: NatsValue) => NATS_KEYS.has(key)
  const isSecret = ({ key, written: value }: NatsValue) => REACHED.has(key) || SECRET_REFERENCE.test(value)
  const isMoved = JSON.stringify(values(live, written)) !== JSON.stringify(values(next, written))
  const isMore = hasMore(words(live), words(next)) || hasMore(values(live, isSecret), values(next, isSecret))
  return isMoved || isMore ? [{ path: [], message: MESSAGE }] : []
}

/** Returns whether `after` holds more of any text than `before`. */
function hasMore(before: readonly string[], after: readonly string[]): boolean {
  const known = Map.groupBy(before, (text) => text)
  return [...Map.groupBy(after, (text) => text)].some(([text, found]) => found.length > (known.get(text)?.length ?? 0))
}
