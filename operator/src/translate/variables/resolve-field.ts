import type { Router } from '@llm-gateway/crds'
import type { Snapshot } from '../../snapshot.ts'
import type { Problem } from '../problem.ts'
import { findVariable } from './find-variable.ts'
import { matchesHost } from './match-host.ts'
import { readKey, sourceOf } from './read-key.ts'
import { splitReferences } from './split-references.ts'
import { valueName } from './value-name.ts'

/** One text of a Router and what holds for it. */
export type Field = {
  /** Below spec: `outbound.headers[Api-Key][0]`. */
  readonly at: string
  readonly text: string
  /** Of a masked header: what it says itself goes through values too. */
  readonly masked: boolean
  /** Where a shared secret would be sent; 'nowhere': the address itself is no good. undefined: none may stand here. */
  readonly destination: URL | 'nowhere' | undefined
}

export type ResolvedField = {
  /** As gl_config.json has it, secrets as `${V_…}`. */
  readonly written: string
  /** With everything put in; never leaves the operator. */
  readonly resolved: string
  readonly values: readonly (readonly [name: string, text: string])[]
  /** Keys of the sources it depends on. */
  readonly sources: readonly string[]
  readonly problems: readonly Problem[]
}

/** Puts one name per reference into a text (kubernetes, 2.1). */
export function resolveField(field: Field, router: Router, snapshot: Snapshot): ResolvedField {
  const pieces = splitReferences(field.text)
  const resolved = pieces.map((piece, index): ResolvedField => {
    const origin = pieces.length === 1 ? field.at : `${field.at}#${index}`
    return piece.kind === 'text'
      ? literal(piece.text, origin, { field, router, generation: '' })
      : reference(piece.name, origin, { field, router, snapshot })
  })
  return {
    written: resolved.map(({ written }) => written).join(''),
    resolved: resolved.map(({ resolved }) => resolved).join(''),
    values: resolved.flatMap(({ values }) => values),
    sources: resolved.flatMap(({ sources }) => sources),
    problems: resolved.flatMap(({ problems }) => problems),
  }
}

type LiteralPlace = { readonly field: Field; readonly router: Router; readonly generation: string }

/** Text that could be read as a reference, or may be a secret, goes through values under a name of its own generation. */
function literal(text: string, origin: string, { field, router, generation }: LiteralPlace): ResolvedField {
  const nothing = { resolved: text, sources: [], problems: [] }
  if (!field.masked && !text.includes('$')) return { ...nothing, written: text, values: [] }
  const { namespace, uid, generation: own } = router.metadata
  const name = valueName(`${namespace}/Router/${uid}@${own}${generation}/${origin}`)
  return { ...nothing, written: `\${${name}}`, values: [[name, text]] }
}

type ReferencePlace = { readonly field: Field; readonly router: Router; readonly snapshot: Snapshot }

function reference(name: string, origin: string, { field, router, snapshot }: ReferencePlace): ResolvedField {
  const variable = findVariable(name, router, snapshot)
  const failed = (reason: Problem['reason'], detail: string, sources: readonly string[] = []): ResolvedField => ({
    written: '',
    resolved: '',
    values: [],
    sources,
    problems: [{ reason, field: field.at, detail }],
  })
  switch (variable.kind) {
    case 'not found':
      return failed('VariableNotFound', `\${${name}} is not set`)
    case 'not permitted':
      return failed('RefNotPermitted', `\${${name}} may not be named here`)
    case 'literal': {
      if (variable.text === '') return failed('EmptyValue', `\${${name}} is empty`)
      // An edited shared literal is a new name too.
      const generation = variable.shared ? `+${snapshot.gateway.metadata.generation}` : ''
      return literal(variable.text, origin, { field, router, generation })
    }
    case 'key': {
      const source = sourceOf(variable.key)
      const refusal = variable.hosts === undefined ? undefined : refusedHost(variable.hosts, field.destination)
      if (refusal !== undefined) return failed('RefNotPermitted', `\${${name}} ${refusal}`)
      const reading = readKey(variable.key, snapshot.sources)
      if (reading.kind === 'problem') return failed(reading.reason, `\${${name}}: ${reading.detail}`, [source])
      if (reading.text === '') return failed('EmptyValue', `\${${name}} is empty`, [source])
      const { kind, namespace, reference } = variable.key
      const value = valueName(`${namespace}/${kind}/${reference.name}/${reference.key}`)
      return {
        written: `\${${value}}`,
        resolved: reading.text,
        values: [[value, reading.text]],
        sources: [source],
        problems: [],
      }
    }
    default:
      return variable satisfies never
  }
}

/** A Router's author must not be able to send the gateway's key to a server of his own. */
function refusedHost(hosts: readonly string[], destination: Field['destination']): string | undefined {
  if (destination === undefined) return 'is a shared secret: it may stand in outbound.headers only'
  // Such a Router is held for its address; nothing of it is sent.
  if (destination === 'nowhere') return undefined
  const allowed = hosts.some((host) => matchesHost(host, destination, { forKey: true }))
  return allowed ? undefined : 'may not be sent to this host'
}
