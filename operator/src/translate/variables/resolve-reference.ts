import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../model/snapshot.ts'
import type { Problem } from '../problem.ts'
import { findVariable, type Variable } from './find-variable.ts'
import { refusedKey } from './permit-key.ts'
import { type KeySource, readKey, sourceOf } from './read-key.ts'
import { type ResolvedText, type RouterText, valueName, writeLiteral } from './write-literal.ts'

/** The place of a reference. */
export type ReferencePlace = {
  /** The field below spec, and the index of its piece. */
  readonly at: string
  readonly field: RouterText
  /** The origin of the address, if this reference is part of scheme, host or port. */
  readonly origin: string | undefined
}

/** Resolves one `${NAME}` to its text in gl_config.json, or to the reason why it has none. */
export type ReferenceResolver = (name: string, place: ReferencePlace) => ResolvedText

/**
 * Returns the resolver of a Router's references. It finds each NAME once, and reads and names its key once for each
 * destination and origin, so that a Router that repeats a NAME costs little more than a Router that names it once.
 */
export function referenceResolver(router: Router, snapshot: Snapshot): ReferenceResolver {
  const variables = new Map<string, Variable>()
  const keys = new Map<string, ResolvedText>()
  return (name, place) => {
    const variable = variables.get(name) ?? findVariable(name, router, snapshot)
    variables.set(name, variable)
    const { at, field, origin } = place
    switch (variable.kind) {
      case 'not found':
        return failed(field, 'VariableNotFound', `\${${name}} is not set`)
      case 'not permitted':
        return failed(field, 'RefNotPermitted', `\${${name}} ${variable.why}`)
      case 'literal': {
        if (variable.text === '') return failed(field, 'EmptyValue', `\${${name}} is empty`)
        return writeLiteral(variable.text, { at, masked: field.masked, router, shared: variable.shared })
      }
      case 'key': {
        // A Router has one address, so its destinations differ in their kinds only, and there is one origin.
        const use = `${name} ${field.destination.kind} ${origin === undefined ? '' : 'bound'}`
        const resolved = keys.get(use) ?? resolveKey(name, variable, { place, router, snapshot })
        keys.set(use, resolved)
        return inField(resolved, field)
      }
      default:
        return variable satisfies never
    }
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

/** Names the field in the problems of a key that was resolved for another field. */
function inField(resolved: ResolvedText, { at }: RouterText): ResolvedText {
  const { problems, readFailures } = resolved
  if (problems.length === 0 && readFailures.length === 0) return resolved
  const named = (found: readonly Problem[]) => found.map((problem) => ({ ...problem, field: at }))
  return { ...resolved, problems: named(problems), readFailures: named(readFailures) }
}

type KeyContext = { readonly place: ReferencePlace; readonly router: Router; readonly snapshot: Snapshot }

function resolveKey(
  name: string,
  { key, shared, hosts }: Extract<Variable, { kind: 'key' }>,
  { place, router, snapshot }: KeyContext,
): ResolvedText {
  const { field, origin } = place
  const sources = [sourceOf(key)]
  const problem = (reason: Problem['reason'], detail: string) => ({
    reason,
    field: field.at,
    detail: `\${${name}}${detail}`,
  })
  const refusal = refusedKey({ key, hosts, destination: field.destination }, snapshot)
  if (refusal !== undefined) return { ...EMPTY, sources, problems: [problem('RefNotPermitted', ` ${refusal}`)] }
  const value = nameOf(key, router, origin)
  const reading = readKey(key, snapshot.sources)
  const faults =
    reading.kind === 'problem' ? [problem(reading.reason, shared ? NOT_SHARED : `: ${reading.detail}`)] : []
  const standIn = faults[0]?.reason === 'ReadFailed' ? snapshot.textOfUnread : undefined
  const text = reading.kind === 'value' ? reading.text : standIn
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
export function nameOf({ namespace, kind, reference }: KeySource, router: Router, origin: string | undefined): string {
  const place = `${namespace}/${kind}/${reference.name}/${reference.key}`
  const { uid, generation } = router.metadata
  return valueName(origin === undefined ? place : `${place}/${uid}@${generation}/${origin}`)
}
