import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { Language, type Node, Parser } from 'web-tree-sitter'
import type { ReadParameter, Syntax } from './syntax-under-test.ts'

export type BicepResource = {
  readonly symbol: string
  readonly type: string
  readonly apiVersion: string
  readonly isExisting: boolean
  readonly members: ReadonlyMap<string, Syntax>
}
export type BicepFile = {
  readonly parameters: ReadonlyMap<string, ReadParameter>
  readonly variables: ReadonlyMap<string, Syntax>
  readonly resources: readonly BicepResource[]
  readonly outputs: ReadonlyMap<string, { readonly description: unknown; readonly value: Syntax }>
}

const LIMITS = new Set(['description', 'allowed', 'minValue', 'maxValue', 'minLength', 'maxLength'])

/** Statements that deploy nothing. */
const ASIDE = new Set(['comment', 'metadata_declaration'])

/** Parses Bicep by tree-sitter's grammar; throws unless the whole text parses. */
export async function readBicep(text: string): Promise<BicepFile> {
  await Parser.init()
  const wasm = fileURLToPath(import.meta.resolve('tree-sitter-bicep/tree-sitter-bicep.wasm'))
  const parser = new Parser().setLanguage(await Language.load(wasm))
  const root = parser.parse(text)?.rootNode
  assert.ok(root !== undefined && !root.hasError, 'Bicep that doesn’t parse')
  const parameters = new Map<string, ReadParameter>()
  const variables = new Map<string, Syntax>()
  const resources: BicepResource[] = []
  const outputs = new Map<string, { readonly description: unknown; readonly value: Syntax }>()
  let decorators: ReadonlyMap<string, unknown> = new Map()
  for (const node of root.namedChildren) {
    if (node.type === 'decorators') {
      decorators = readDecorators(node)
      continue
    }
    if (ASIDE.has(node.type)) continue
    const [name = '', ...rest] = childTexts(node)
    const last = node.namedChildren.at(-1)
    assert.ok(last, node.text)
    switch (node.type) {
      case 'parameter_declaration':
        assert.ok(!parameters.has(name), `two parameters ${name}`)
        parameters.set(name, readParameter(node, decorators))
        break
      case 'variable_declaration':
        variables.set(name, readSyntax(last))
        break
      case 'resource_declaration': {
        const [type = '', apiVersion = ''] = (rest[0] ?? '').slice(1, -1).split('@')
        const isExisting = node.children.some((child) => child.type === 'existing')
        resources.push({ symbol: name, type, apiVersion, isExisting, members: readMembers(last) })
        break
      }
      case 'output_declaration':
        assert.equal(rest[0], 'string')
        outputs.set(name, { description: decorators.get('description'), value: readSyntax(last) })
        break
      default:
        assert.fail(`a kind of statement that this reader does not know: ${node.type}`)
    }
    decorators = new Map()
  }
  return { parameters, variables, resources, outputs }
}

function readParameter(node: Node, decorators: ReadonlyMap<string, unknown>): ReadParameter {
  const [, type, value] = node.namedChildren
  assert.ok(type)
  return {
    type: type.text,
    isSecure: decorators.has('secure'),
    ...(value === undefined ? {} : { default: readSyntax(value) }),
    limits: Object.fromEntries([...decorators].filter(([name]) => LIMITS.has(name))),
  }
}

function readDecorators(node: Node): ReadonlyMap<string, unknown> {
  return new Map(
    node.namedChildren.map((decorator) => {
      const [call] = decorator.namedChildren
      assert.equal(call?.type, 'call_expression')
      const [argument] = call?.childForFieldName('arguments')?.namedChildren ?? []
      return [childTexts(decorator.namedChildren[0])[0] ?? '', argument && literal(readSyntax(argument))]
    }),
  )
}

function literal(syntax: Syntax): unknown {
  if (syntax.kind === 'list') return syntax.items.map(literal)
  assert.ok(syntax.kind === 'literal')
  return syntax.value
}

function readMembers(node: Node): ReadonlyMap<string, Syntax> {
  assert.equal(node.type, 'object')
  const entries = node.namedChildren.map((property) => {
    const [key, value] = property.namedChildren
    assert.ok(key !== undefined && value !== undefined && key.type === 'identifier')
    return [key.text, readSyntax(value)] as const
  })
  assert.equal(new Map(entries).size, entries.length, 'a member that occurs twice')
  return new Map(entries)
}

function readSyntax(node: Node): Syntax {
  switch (node.type) {
    case 'string':
      return readText(node)
    case 'number':
      return { kind: 'literal', value: Number(node.text) }
    case 'boolean':
      return { kind: 'literal', value: node.text === 'true' }
    case 'null':
      return { kind: 'literal', value: null }
    case 'identifier':
      return { kind: 'name', name: node.text }
    case 'array':
      return { kind: 'list', items: node.namedChildren.map(readSyntax) }
    case 'object':
      return { kind: 'object', entries: node.namedChildren.map(readEntry) }
    case 'ternary_expression': {
      const [condition, yes, no] = ['condition', 'consequence', 'alternative'].map((name) => field(node, name))
      assert.ok(condition && yes && no)
      return { kind: 'choice', condition: readSyntax(condition), yes: readSyntax(yes), no: readSyntax(no) }
    }
    case 'member_expression':
      return { kind: 'member', of: readSyntax(field(node, 'object')), name: field(node, 'property').text }
    case 'subscript_expression':
      return { kind: 'member', of: readSyntax(field(node, 'object')), name: Number(field(node, 'index').text) }
    case 'call_expression': {
      const callee = readSyntax(field(node, 'function'))
      const args = field(node, 'arguments').namedChildren.map(readSyntax)
      if (callee.kind === 'name') return { kind: 'call', name: callee.name, args }
      assert.ok(callee.kind === 'member')
      return { kind: 'call', of: callee.of, name: String(callee.name), args }
    }
    default:
      return assert.fail(`a kind of expression that this reader does not know: ${node.type} ${node.text}`)
  }
}

function readEntry(node: Node): readonly [Syntax, Syntax] {
  const [key, value] = node.namedChildren
  assert.ok(key !== undefined && value !== undefined)
  return [key.type === 'identifier' ? { kind: 'literal', value: key.text } : readSyntax(key), readSyntax(value)]
}

/** Reads the parts between the quotes by their positions, since the grammar drops some white space. */
function readText(node: Node): Syntax {
  const parts: Syntax[] = []
  let from = node.startIndex + 1
  const add = (end: number) => {
    const raw = node.text.slice(from - node.startIndex, end - node.startIndex)
    if (raw !== '') parts.push({ kind: 'literal', value: unescaped(raw) })
  }
  for (const child of node.namedChildren.filter(({ type }) => type === 'interpolation')) {
    add(child.startIndex)
    const [inside] = child.namedChildren
    assert.ok(inside)
    parts.push(readSyntax(inside))
    from = child.endIndex
  }
  add(node.endIndex - 1)
  if (parts.some(({ kind }) => kind !== 'literal')) return { kind: 'text', parts }
  return parts[0] ?? { kind: 'literal', value: '' }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', "'": "'", '\\': '\\', $: '$' }

function unescaped(raw: string): string {
  return raw.replaceAll(/\\(.)/gs, (_, character: string) => {
    const meant = ESCAPES[character]
    assert.ok(meant !== undefined, `an escape that Bicep doesn’t know: \\${character}`)
    return meant
  })
}

function field(node: Node, name: string): Node {
  const child = node.childForFieldName(name)
  assert.ok(child, `${node.type} has no ${name}`)
  return child
}

function childTexts(node: Node | undefined): readonly string[] {
  return node?.namedChildren.map(({ text }) => text) ?? []
}
