import {
  checkGinitConfig,
  checkGlConfig,
  checkGuiConfig,
  checkSinkConfig,
  type References,
  type ValidationErrors,
} from '@llm-gateway/conf'
import { checkTokenCounterConfig, referencedNames } from '@llm-gateway/conf/editor'
import type { Check, CheckedField, FieldPath, FileName, Variable } from '@llm-gateway/gui-api'
import { type FileEnvironment, variableState } from './file-environment.ts'
import { fileText } from './file-text.ts'
import { isTooLarge, jsonTree, pathKey, type StringPlace, stringPlaces } from './json-places.ts'
import { reasonText } from './reason-text.ts'

type Verdict = {
  readonly result: Check['result']
  readonly reasons: ReadonlyMap<string, { readonly path: FieldPath; readonly reason: string }>
  readonly unknownKeys: readonly string[]
}

const MOST_FIELDS = 1_000
const MOST_PLACES = 20

/** Judges a file with the code of its program, in the gateway's environment. */
export function checkText(name: FileName, text: string, fileEnvironment: FileEnvironment): Check {
  const { digest } = fileText(text)
  const tree = name === 'nats-server.conf' ? undefined : jsonTree(text)
  const places = tree === undefined ? [] : [...stringPlaces(tree)].filter(({ value }) => value.includes('$'))
  const { result, reasons, unknownKeys } = verdictOf(name, text, fileEnvironment.references)
  const own = ownRules(name, places)
  const all: Verdict['reasons'] = new Map([...reasons, ...own])
  const disabled = name === 'gl_config.json' && tree !== undefined ? disabledRouters(text) : new Set()
  const context = { places: new Map(places.map((place) => [pathKey(place.path), place])), fileEnvironment }
  const judged = [...all.values()].map(({ path, reason }) => judgedField(path, reason, context))
  const missing = places
    .filter(({ path }) => !all.has(pathKey(path)) && !(path[0] === 'routers' && disabled.has(path[1] ?? '')))
    .flatMap((place) => missingField(place, fileEnvironment))
  return {
    digest,
    result: own.size > 0 ? 'invalid' : result,
    fields: [...judged, ...missing].slice(0, MOST_FIELDS),
    variables: variablesOf(places, fileEnvironment),
    unknown_keys: [...unknownKeys].slice(0, MOST_FIELDS),
  }
}

function verdictOf(name: FileName, text: string, references: References): Verdict {
  const bytes = Buffer.from(text)
  // The check of a text of this size would take minutes.
  if (name !== 'nats-server.conf' && isTooLarge(text)) return invalid({ '': 'size:' })
  switch (name) {
    case 'gl_config.json': {
      const check = checkGlConfig(bytes, references)
      if (check.kind === 'invalid') return invalid(check.validationErrors)
      if (check.kind === 'unfinished')
        return invalid(Object.fromEntries(check.missing.map((missing) => [`gl_config.${missing}`, 'required:'])))
      const { rejectedFields, unknownKeys } = check.config
      const result = Object.keys(rejectedFields).length > 0 ? 'partly' : 'valid'
      return { result, reasons: reasonsOf(rejectedFields), unknownKeys }
    }
    case 'gui_config.json':
      return formVerdict(checkGuiConfig(bytes, references))
    case 'ginit_config.json':
      return formVerdict(checkGinitConfig(bytes, references))
    case 'nats2log_config.json':
    case 'nats2file_config.json':
      return formVerdict(checkSinkConfig(bytes, references))
    case 'tokencounter_config.json':
      return formVerdict(checkTokenCounterConfig(bytes, references))
    case 'nats-server.conf':
      return { result: 'unchecked', reasons: new Map(), unknownKeys: [] }
    default:
      return name satisfies never
  }
}

type FormCheck =
  | { readonly kind: 'invalid'; readonly validationErrors: ValidationErrors }
  | { readonly kind: 'checked'; readonly unknownKeys: readonly string[] }

function formVerdict(check: FormCheck): Verdict {
  if (check.kind === 'invalid') return invalid(check.validationErrors)
  return { result: 'valid', reasons: new Map(), unknownKeys: check.unknownKeys }
}

function invalid(errors: ValidationErrors): Verdict {
  return { result: 'invalid', reasons: reasonsOf(errors), unknownKeys: [] }
}

function reasonsOf(errors: ValidationErrors): Verdict['reasons'] {
  const reasons = Object.entries(errors).map(([written, reason]) => ({ path: pathOf(written), reason }))
  return new Map(reasons.map((entry) => [pathKey(entry.path), entry]))
}

/**
 * Reads the path of a refused field. The path is written like
 * `gl_config.Routers[2].Router.Outbound.Headers[Api-Key][0]` or `gl_config.request.processors[0][1].timeout`.
 */
function pathOf(written: string): FieldPath {
  const [, index, field = ''] = /^gl_config\.Routers\[(\d+)\]\.Router\.(.*)$/s.exec(written) ?? []
  if (index !== undefined) {
    const [, keys = field, header, value] =
      /^((?:Ingress|Outbound)\.Headers)\[(.*?)\](?:\[(\d+)\])?$/s.exec(field) ?? []
    const path = ['routers', Number(index), ...keys.split('.').map((key) => key.toLowerCase())]
    return [...path, ...(header === undefined ? [] : [header]), ...(value === undefined ? [] : [Number(value)])]
  }
  const parts = written.matchAll(/\.([^.[\]]+)|\[(\d+)\]/g)
  return [...parts].map(([, key, position]) => (key === undefined ? Number(position) : key))
}

/**
 * Applies the web interface's own rule: a reference to a secret may stand only in the setting that needs the secret.
 */
function ownRules(name: FileName, places: readonly StringPlace[]): Verdict['reasons'] {
  const reasons = new Map<string, { path: FieldPath; reason: string }>()
  for (const { path, value } of places) {
    const names = referencedNames(value)
    const isBusToken = path.length === 2 && path[0] === 'service_bus' && path[1] === 'token'
    const isOwnSecret = name === 'gui_config.json' && path.length === 1 && path[0] === 'secret'
    const isReserved = (names.includes('GUI_SECRET') && !isOwnSecret) || (names.includes('NATS_TOKEN') && !isBusToken)
    if (isReserved) reasons.set(pathKey(path), { path, reason: 'reserved:' })
  }
  return reasons
}

type Context = { readonly places: ReadonlyMap<string, StringPlace>; readonly fileEnvironment: FileEnvironment }

function judgedField(path: FieldPath, reason: string, { places, fileEnvironment }: Context): CheckedField {
  const place = places.get(pathKey(path))
  const unset = reason === 'required:' ? unsetIn(place?.value ?? '', fileEnvironment) : []
  const state = reason === 'required:' ? 'required' : 'invalid'
  return { path, state, reason, message: reasonText(reason, unset), unset: [...unset] }
}

function missingField({ path, value }: StringPlace, fileEnvironment: FileEnvironment): readonly CheckedField[] {
  const unset = unsetIn(value, fileEnvironment)
  if (unset.length === 0) return []
  return [{ path, state: 'missing', reason: 'unset:', message: reasonText('unset:', unset), unset: [...unset] }]
}

function unsetIn(value: string, fileEnvironment: FileEnvironment): readonly string[] {
  return [...new Set(referencedNames(value))].filter((name) => variableState(name, fileEnvironment) === 'unset')
}

/** Returns the indexes of disabled routers, of which only the path is read. */
function disabledRouters(text: string): ReadonlySet<unknown> {
  const { routers }: { routers?: unknown } = Object(JSON.parse(text))
  const entries: readonly unknown[] = Array.isArray(routers) ? routers : []
  return new Set(entries.flatMap((entry, index) => (Object(entry).disabled === true ? [index] : [])))
}

function variablesOf(places: readonly StringPlace[], fileEnvironment: FileEnvironment): Variable[] {
  const used = new Map<string, FieldPath[]>()
  for (const { path, value } of places) {
    for (const name of new Set(referencedNames(value))) {
      const paths = used.get(name) ?? []
      if (paths.length < MOST_PLACES) used.set(name, [...paths, path])
    }
  }
  return [...used]
    .map(([name, paths]) => ({ name, state: variableState(name, fileEnvironment), used_at: paths }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .slice(0, MOST_FIELDS)
}
