import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { elementsOf, isObject, membersOf, textOf } from '../json-value.ts'
import { yamlPlace } from './yaml-place.ts'

/** Completes members and values from a JSON Schema. Problems come from the server's check. */
export function yamlSchemaSupport(schema: object): Extension {
  const complete = (context: CompletionContext): CompletionResult | null => {
    const place = yamlPlace(context.state.doc.toString(), context.pos)
    if (place === undefined) return null
    const part = place.path.reduce<unknown>((at, step) => memberSchema(at, step), schema)
    const { typed, from } = place
    if (typed.kind === 'value') {
      const options = valuesOf(memberSchema(part, typed.key)).map((label) => ({ label }))
      return options.length === 0 ? null : { from, options }
    }
    if (!context.explicit && from === context.pos) return null
    const options = Object.entries(membersOf(membersOf(part).properties))
      .filter(([name]) => !place.siblings.includes(name))
      .map(([name, member]) => ({
        label: name,
        apply: isHolder(member) ? `${name}:` : `${name}: `,
        info: textOf(membersOf(member).description) ?? '',
      }))
    return options.length === 0 ? null : { from, options }
  }
  return autocompletion({ override: [complete] })
}

function memberSchema(part: unknown, step: string): unknown {
  const { properties, items, additionalProperties } = membersOf(part)
  if (step === '*') return items
  const members = membersOf(properties)
  return Object.hasOwn(members, step)
    ? members[step]
    : isObject(additionalProperties)
      ? additionalProperties
      : undefined
}

function valuesOf(part: unknown): readonly string[] {
  const { enum: listed, type, const: only } = membersOf(part)
  if (type === 'boolean') return ['true', 'false']
  return [...elementsOf(listed), ...(only === undefined ? [] : [only])].map(String)
}

/** Returns whether a member's value begins on the next line. */
function isHolder(part: unknown): boolean {
  const { type } = membersOf(part)
  return type === 'object' || type === 'array'
}
