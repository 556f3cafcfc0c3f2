import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Syntax } from './syntax-under-test.ts'

/**
 * A value that Azure knows only after a resource's creation; its text is the resource's id, the API version, and a
 * path.
 */
export class Later {
  readonly #shown: string

  constructor(shown: string) {
    this.#shown = shown
  }

  member(name: string | number): Later {
    return new Later(`${this.#shown}/${name}`)
  }

  toString(): string {
    return `<${this.#shown}>`
  }
}

export type Scope = {
  /** Returns the value of a name without brackets; throws for an unknown name. */
  readonly name: (name: string) => unknown
  readonly functions: ReadonlyMap<string, (...args: readonly unknown[]) => unknown>
  /** Calls a function of a value: `storage.listKeys()`. */
  readonly method: (of: unknown, name: string) => unknown
  readonly member: (of: unknown, name: string | number) => unknown
}

/** Evaluates an expression; throws for an unknown function, name or member. */
export function evaluate(syntax: Syntax, scope: Scope): unknown {
  const inner = (part: Syntax) => evaluate(part, scope)
  switch (syntax.kind) {
    case 'literal':
      return syntax.value
    case 'list':
      return syntax.items.map(inner)
    case 'object': {
      const entries = syntax.entries.map(([key, value]) => [String(inner(key)), inner(value)] as const)
      assert.equal(new Map(entries).size, entries.length, 'a member that occurs twice')
      return Object.fromEntries(entries)
    }
    case 'text':
      return syntax.parts.map(inner).join('')
    case 'name':
      return scope.name(syntax.name)
    case 'member':
      return scope.member(inner(syntax.of), syntax.name)
    case 'choice':
      return truth(inner(syntax.condition)) ? inner(syntax.yes) : inner(syntax.no)
    case 'call': {
      if (syntax.of !== undefined) return scope.method(inner(syntax.of), syntax.name)
      const called = scope.functions.get(syntax.name)
      assert.ok(called, `no function is called ${syntax.name}`)
      return called(...syntax.args.map(inner))
    }
    default:
      return syntax satisfies never
  }
}

export function truth(value: unknown): boolean {
  assert.equal(typeof value, 'boolean')
  return value === true
}

export function memberOf(of: unknown, name: string | number): unknown {
  if (of instanceof Later) return of.member(name)
  assert.ok(typeof of === 'object' && of !== null && Object.hasOwn(of, name), `nothing has a member ${name}`)
  return Object.entries(of).find(([key]) => key === String(name))?.[1]
}

const GROUP = '/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/gateways'

/** Returns the id of a resource in the resource group, with each name after its type. */
export function idOf(type: string, names: readonly unknown[]): string {
  const [provider = '', ...types] = type.split('/')
  assert.equal(types.length, names.length, `${type} has ${types.length} names`)
  return [GROUP, 'providers', provider, ...types.flatMap((one, index) => [one, String(names[index])])].join('/')
}

/** Functions that both languages have with the same meaning. */
export const FUNCTIONS: Scope['functions'] = new Map<string, (...args: readonly unknown[]) => unknown>([
  ['concat', concat],
  ['empty', (value) => isEmpty(value)],
  ['guid', (...values) => digest(values)],
  ['resourceGroup', () => ({ id: GROUP, location: 'westeurope' })],
  ['subscriptionResourceId', (type, name) => `/subscriptions/1/providers/${text(type)}/${text(name)}`],
  ['uniqueString', (...values) => digest(values).slice(0, 13)],
])

function concat(...values: readonly unknown[]): unknown {
  if (values.every(Array.isArray)) return values.flat()
  return values.map(text).join('')
}

function digest(values: readonly unknown[]): string {
  return createHash('sha256').update(values.map(text).join()).digest('hex')
}

function isEmpty(value: unknown): boolean {
  assert.ok(typeof value === 'string' || Array.isArray(value))
  return value.length === 0
}

export function text(value: unknown): string {
  assert.ok(typeof value === 'string' || value instanceof Later, 'no text')
  return String(value)
}
