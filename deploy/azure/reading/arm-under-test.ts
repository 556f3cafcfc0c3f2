import assert from 'node:assert/strict'
import type { ReadParameter, Syntax } from './syntax-under-test.ts'

export type ArmFile = {
  readonly parameters: ReadonlyMap<string, ReadParameter>
  readonly variables: ReadonlyMap<string, Syntax>
  readonly resources: readonly ReadonlyMap<string, Syntax>[]
  readonly outputs: ReadonlyMap<string, { readonly description: unknown; readonly value: Syntax }>
}

/** Reads a template for Azure Resource Manager with its expressions; throws for any other text. */
export function readArm(text: string): ArmFile {
  const file: unknown = JSON.parse(text)
  const { $schema, contentVersion, metadata, parameters, variables, resources, outputs, ...others } = object(file)
  assert.deepEqual(others, {})
  assert.match(String($schema), /\/2019-04-01\/deploymentTemplate\.json#$/)
  assert.match(String(contentVersion), /^\d+\.\d+\.\d+\.\d+$/)
  object(metadata)
  assert.ok(Array.isArray(resources))
  return {
    parameters: mapped(parameters, readParameter),
    variables: mapped(variables, readSyntax),
    resources: resources.map((resource) => mapped(resource, readSyntax)),
    outputs: mapped(outputs, (output) => {
      const { type, metadata, value } = object(output)
      assert.equal(type, 'string')
      return { description: object(metadata).description, value: readSyntax(value) }
    }),
  }
}

function readParameter(value: unknown): ReadParameter {
  const { type, defaultValue, metadata, allowedValues, ...limits } = object(value)
  const { description } = object(metadata)
  return {
    type: String(type).replace(/^securestring$/, 'string'),
    isSecure: type === 'securestring',
    ...(defaultValue === undefined ? {} : { default: readSyntax(defaultValue) }),
    limits: { description, ...(allowedValues === undefined ? {} : { allowed: allowedValues }), ...limits },
  }
}

function readSyntax(value: unknown): Syntax {
  if (typeof value === 'string') return readString(value)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return { kind: 'literal', value }
  if (Array.isArray(value)) return { kind: 'list', items: value.map(readSyntax) }
  return {
    kind: 'object',
    entries: Object.entries(object(value)).map(([key, member]) => [readString(key), readSyntax(member)]),
  }
}

function readString(value: string): Syntax {
  if (value.startsWith('[[')) return { kind: 'literal', value: value.slice(1) }
  if (!value.startsWith('[') || !value.endsWith(']')) return { kind: 'literal', value }
  return new ExpressionReader(value.slice(1, -1)).whole()
}

/** A reader of the expressions in brackets: calls, texts, whole numbers, members. */
class ExpressionReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  whole(): Syntax {
    const syntax = this.#expression()
    assert.equal(this.#at, this.#text.length, `more than an expression: ${this.#text}`)
    return syntax
  }

  #expression(): Syntax {
    const text = this.#taken(/'(?:[^']|'')*'/y)
    if (text !== undefined) return { kind: 'literal', value: text.slice(1, -1).replaceAll("''", "'") }
    const number = this.#taken(/-?\d+/y)
    if (number !== undefined) return { kind: 'literal', value: Number(number) }
    const name = this.#needed(/[A-Za-z]\w*/y)
    let syntax: Syntax = { kind: 'call', name, args: this.#args() }
    for (;;) {
      const member = this.#taken(/\.[A-Za-z]\w*/y)
      const index = member === undefined ? this.#taken(/\[\d+\]/y) : undefined
      if (member !== undefined) syntax = { kind: 'member', of: syntax, name: member.slice(1) }
      else if (index !== undefined) syntax = { kind: 'member', of: syntax, name: Number(index.slice(1, -1)) }
      else return syntax
    }
  }

  #args(): readonly Syntax[] {
    const args: Syntax[] = []
    this.#needed(/\(\s*/y)
    while (this.#taken(/\)/y) === undefined) {
      if (args.length > 0) this.#needed(/,\s*/y)
      args.push(this.#expression())
    }
    return args
  }

  #needed(pattern: RegExp): string {
    const found = this.#taken(pattern)
    assert.ok(found !== undefined, `${pattern.source} is missing at ${this.#at}: ${this.#text}`)
    return found
  }

  #taken(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    this.#at += found?.length ?? 0
    return found
  }
}

function mapped<To>(value: unknown, change: (value: unknown) => To): ReadonlyMap<string, To> {
  return new Map(Object.entries(object(value)).map(([key, member]) => [key, change(member)]))
}

function object(value: unknown): Readonly<Record<string, unknown>> {
  assert.ok(typeof value === 'object' && value !== null && !Array.isArray(value), 'no object')
  return { ...value }
}
