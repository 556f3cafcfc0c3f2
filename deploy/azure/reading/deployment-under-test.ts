import assert from 'node:assert/strict'
import type { ArmFile } from './arm-under-test.ts'
import type { BicepFile, BicepResource } from './bicep-under-test.ts'
import { evaluate, FUNCTIONS, idOf, Later, memberOf, type Scope, text, truth } from './evaluate-under-test.ts'
import { namesIn, type ReadParameter, type Syntax } from './syntax-under-test.ts'

/** The resources and outputs of a template with given parameters; both languages must give the same. */
export type Deployment = {
  readonly parameters: Readonly<Record<string, unknown>>
  /** Resources by id. */
  readonly resources: ReadonlyMap<string, DeployedResource>
  readonly outputs: Readonly<Record<string, unknown>>
}
export type DeployedResource = {
  readonly type: unknown
  readonly apiVersion: unknown
  readonly scope: unknown
  readonly dependsOn: readonly unknown[]
  readonly body: unknown
}
export type Given = Readonly<Record<string, string | number | boolean>>

const CHILDREN_OF_SYNTAX = new Set(['name', 'parent', 'scope', 'dependsOn'])

/** Evaluates a Bicep file as a deployment. */
export function deployBicep(file: BicepFile, given: Given): Deployment {
  const symbols = new Map(file.resources.map((resource) => [resource.symbol, resource]))
  assert.equal(symbols.size, file.resources.length, 'a symbol that occurs twice')
  const values = new Map<string, unknown>()
  const variables = new Map<string, unknown>()
  const scope: Scope = {
    name: (name) => {
      for (const known of [values, variables, symbols]) if (known.has(name)) return known.get(name)
      return assert.fail(`nothing is called ${name}`)
    },
    functions: FUNCTIONS,
    method: (of, name) => {
      assert.equal(name, 'listKeys')
      const resource = bicepResource(of, symbols)
      return new Later(`listKeys ${bicepId(resource)}@${resource.apiVersion}`)
    },
    member: (of, name) => {
      if (!isBicepResource(of, symbols)) return memberOf(of, name)
      const resource = bicepResource(of, symbols)
      if (name === 'id') return bicepId(resource)
      assert.equal(name, 'properties')
      return new Later(`reference ${bicepId(resource)}@${resource.apiVersion}`)
    },
  }
  const names = (resource: BicepResource): readonly unknown[] => {
    const parent = resource.members.get('parent')
    const own = evaluate(member(resource, 'name'), scope)
    return parent === undefined ? [own] : [...names(bicepResource(evaluate(parent, scope), symbols)), own]
  }
  const bicepId = (resource: BicepResource) => idOf(resource.type, names(resource))
  fill(values, file.parameters, given, scope)
  for (const [name, syntax] of file.variables) variables.set(name, evaluate(syntax, scope))
  const resources = file.resources.filter(({ isExisting }) => !isExisting)
  return {
    parameters: declared(file.parameters, values),
    resources: new Map(
      resources.map((resource) => {
        const { type, apiVersion, members } = resource
        const parent = members.get('parent')
        if (parent?.kind === 'name') assert.ok(type.startsWith(`${symbols.get(parent.name)?.type}/`))
        const needed = new Set([...members.values()].flatMap(namesIn).filter((name) => symbols.has(name)))
        const dependsOn = [...needed].map((name) => bicepResource(symbols.get(name), symbols))
        const at = members.get('scope')
        const body = [...members].filter(([name]) => !CHILDREN_OF_SYNTAX.has(name))
        return [
          bicepId(resource),
          {
            type,
            apiVersion,
            scope: at && bicepId(bicepResource(evaluate(at, scope), symbols)),
            dependsOn: dependsOn
              .filter(({ isExisting }) => !isExisting)
              .map(bicepId)
              .sort(),
            body: shown(Object.fromEntries(body.map(([name, syntax]) => [name, evaluate(syntax, scope)]))),
          },
        ]
      }),
    ),
    outputs: outputs(file.outputs, scope),
  }
}

/** Evaluates a template for Azure Resource Manager as a deployment. */
export function deployArm(file: ArmFile, given: Given): Deployment {
  const values = new Map<string, unknown>()
  const variables = new Map<string, unknown>()
  const known = (map: ReadonlyMap<string, unknown>) => (name: unknown) => {
    assert.ok(map.has(String(name)), `nothing is called ${name}`)
    return map.get(String(name))
  }
  const later = (name: string) => (id: unknown, version: unknown) => new Later(`${name} ${text(id)}@${text(version)}`)
  const scope: Scope = {
    name: (name) => assert.fail(`a bare name: ${name}`),
    functions: new Map<string, (...args: readonly unknown[]) => unknown>([
      ...FUNCTIONS,
      ['parameters', known(values)],
      ['variables', known(variables)],
      ['resourceId', (type, ...names) => idOf(text(type), names)],
      ['reference', later('reference')],
      ['listKeys', later('listKeys')],
      ['format', (form, ...args) => text(form).replaceAll(/\{(\d)\}/g, (_, index) => text(args[Number(index)]))],
      ['if', (condition, yes, no) => (truth(condition) ? yes : no)],
      ['createArray', (...items) => items],
      ['createObject', (...pairs) => Object.fromEntries(pairsOf(pairs))],
      ['true', () => true],
      ['false', () => false],
    ]),
    method: (_, name) => assert.fail(`an unknown method: ${name}`),
    member: memberOf,
  }
  fill(values, file.parameters, given, scope)
  for (const [name, syntax] of file.variables) variables.set(name, evaluate(syntax, scope))
  const resources = file.resources.map((members) => {
    const {
      type,
      apiVersion,
      name,
      scope: at,
      dependsOn = [],
      ...body
    } = Object.fromEntries([...members].map(([key, syntax]) => [key, evaluate(syntax, scope)]))
    assert.ok(Array.isArray(dependsOn))
    const names = text(name).split('/')
    return [
      idOf(text(type), names),
      { type, apiVersion, scope: at, dependsOn: dependsOn.toSorted(), body: shown(body) },
    ] as const
  })
  const byId = new Map(resources)
  assert.equal(byId.size, resources.length, 'a resource that occurs twice')
  for (const [id, { dependsOn, scope: at }] of resources)
    for (const other of [...dependsOn, ...(at === undefined ? [] : [at])])
      assert.ok(byId.has(text(other)), `${id} waits for a resource that the template does not make: ${other}`)
  return { parameters: declared(file.parameters, values), resources: byId, outputs: outputs(file.outputs, scope) }
}

/** Sets each parameter to the given value, else to its default. */
function fill(
  values: Map<string, unknown>,
  parameters: ReadonlyMap<string, ReadParameter>,
  given: Given,
  scope: Scope,
) {
  for (const name of Object.keys(given)) assert.ok(parameters.has(name), `no parameter is called ${name}`)
  for (const [name, { default: fallback }] of parameters) {
    const isGiven = Object.hasOwn(given, name)
    values.set(name, isGiven ? given[name] : evaluate(fallback ?? assert.fail(`${name} has no value`), scope))
  }
}

function declared(parameters: ReadonlyMap<string, ReadParameter>, values: ReadonlyMap<string, unknown>) {
  const entries = [...parameters].map(([name, { type, isSecure, limits }]) => {
    return [name, { type, isSecure, limits, value: values.get(name) }] as const
  })
  return Object.fromEntries(entries)
}

type Outputs = ReadonlyMap<string, { readonly description: unknown; readonly value: Syntax }>

function outputs(outputs: Outputs, scope: Scope): Readonly<Record<string, unknown>> {
  const entries = [...outputs].map(([name, { description, value }]) => {
    return [name, { description, value: shown(evaluate(value, scope)) }] as const
  })
  return Object.fromEntries(entries)
}

/** Replaces values that only Azure knows by their text, so that they can be compared. */
function shown(value: unknown): unknown {
  if (value instanceof Later) return String(value)
  if (Array.isArray(value)) return value.map(shown)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shown(member)]))
}

function pairsOf(values: readonly unknown[]): readonly (readonly [string, unknown])[] {
  assert.equal(values.length % 2, 0)
  return values.flatMap((key, index) => (index % 2 === 0 ? [[text(key), values[index + 1]] as const] : []))
}

function member({ symbol, members }: BicepResource, name: string): Syntax {
  const found = members.get(name)
  assert.ok(found, `${symbol} has no ${name}`)
  return found
}

type Symbols = ReadonlyMap<string, BicepResource>

function isBicepResource(value: unknown, symbols: Symbols): boolean {
  return [...symbols.values()].some((resource) => resource === value)
}

function bicepResource(value: unknown, symbols: Symbols): BicepResource {
  const found = [...symbols.values()].find((resource) => resource === value)
  assert.ok(found, 'no resource')
  return found
}
