import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import type { Problem } from '../problem.ts'
import { findVariable, type Variable } from './find-variable.ts'
import { refusedKey } from './permit-key.ts'
import { type KeySource, readKey, sourceOf } from './read-key.ts'
import { type ResolvedText, type RouterText, valueName, writeLiteral } from './write-literal.ts'

export type ReferenceContext = {
  /** The field below spec, and the index of its piece. */
  readonly at: string
  readonly field: RouterText
  readonly router: Router
  readonly snapshot: Snapshot
  /** The origin of the address, if this reference is part of scheme, host or port. */
  readonly origin: string | undefined
}

/** Resolves one `${NAME}` to its text in gl_config.json, or to the reason why it has none. */
export function resolveReference(name: string, place: ReferenceContext): ResolvedText {
  const { at, field, router, snapshot } = place
  const variable = findVariable(name, router, snapshot)
  switch (variable.kind) {
    case 'not found':
      return failed(field, 'VariableNotFound', `\${${name}} is not set`)
    case 'not permitted':
      return failed(field, 'RefNotPermitted', `\${${name}} ${variable.why}`)
    case 'literal': {
      if (variable.text === '') return failed(field, 'EmptyValue', `\${${name}} is empty`)
      return writeLiteral(variable.text, { at, masked: field.masked, router, shared: variable.shared })
    }
    case 'key':
      return resolveKey(name, variable, place)
    default:
      return variable satisfies never
  }
}

/** Told to authors of other namespaces, too. Only the gateway's own status names its Secret. */
const NOT_SHARED = ' is a variable of the gateway, which has no usable value for it: ask the owner of the gateway'

const EMPTY: ResolvedText = {
  written: '',
  resolved: '',
  characters: 0,
  values: [],
  sources: [],
  problems: [],
  readFailures: [],
}

function failed(field: RouterText, reason: Problem['reason'], detail: string): ResolvedText {
  return { ...EMPTY, problems: [{ reason, field: field.at, detail }] }
}

function resolveKey(
  name: string,
  { key, shared, hosts }: Extract<Variable, { kind: 'key' }>,
  place: ReferenceContext,
): ResolvedText {
  const { field, snapshot } = place
  const sources = [sourceOf(key)]
  const problem = (reason: Problem['reason'], detail: string) => ({
    reason,
    field: field.at,
    detail: `\${${name}}${detail}`,
  })
  const refusal = refusedKey({ key, hosts, destination: field.destination }, snapshot)
  if (refusal !== undefined) return { ...EMPTY, sources, problems: [problem('RefNotPermitted', ` ${refusal}`)] }
  const value = nameOf(key, place)
  const reading = readKey(key, snapshot.sources)
  const faults =
    reading.kind === 'problem' ? [problem(reading.reason, shared ? NOT_SHARED : `: ${reading.detail}`)] : []
  // A source that can't be read now may be unchanged, so a working Router keeps its last value.
  const last = faults[0]?.reason === 'ReadFailed' ? snapshot.liveValues?.get(value) : undefined
  const text = reading.kind === 'value' ? reading.text : last
  if (text === undefined) return { ...EMPTY, sources, problems: faults }
  if (text === '') return { ...EMPTY, sources, problems: [problem('EmptyValue', ' is empty')] }
  return {
    ...EMPTY,
    written: `\${${value}}`,
    resolved: text,
    characters: text.length,
    values: [[value, text]],
    sources,
    readFailures: faults,
  }
}

/**
 * Names a key's value. A rotated Secret keeps its name, so a configuration that is being replaced may meet a new value.
 * Where the value decides to which host a Router's keys go, that host is part of the name, since the host was judged
 * with this value.
 */
function nameOf({ namespace, kind, reference }: KeySource, { origin, router }: ReferenceContext): string {
  const place = `${namespace}/${kind}/${reference.name}/${reference.key}`
  const { uid, generation } = router.metadata
  return valueName(origin === undefined ? place : `${place}/${uid}@${generation}/${origin}`)
}
