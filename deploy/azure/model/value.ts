/** A value of a template: JSON, with expressions at any depth. */
export type Value = Expression | string | number | boolean | null | readonly Value[] | ValueObject
export type ValueObject = { readonly [name: string]: Value }

/** A value that Azure computes at the deployment. Both languages can express each kind. */
export type Expression =
  | { readonly expression: 'parameter' | 'variable'; readonly name: string }
  /** A call of a function of both languages, and the path of members in its result. */
  | {
      readonly expression: 'call'
      readonly name: string
      readonly args: readonly Value[]
      readonly members: readonly string[]
    }
  | { readonly expression: 'text'; readonly parts: readonly (string | Expression)[] }
  | {
      readonly expression: 'choice'
      readonly condition: Expression
      readonly yes: Value
      readonly no: Value
    }
  /** A value of a resource: its id, a property after its creation, its first access key. */
  | { readonly expression: 'id' | 'firstKey'; readonly resource: Resource }
  | { readonly expression: 'property'; readonly resource: Resource; readonly path: readonly string[] }
  /** An object with one member whose name is an expression. */
  | { readonly expression: 'keyed'; readonly key: Expression; readonly value: Value }

export function parameter(name: string): Expression {
  return { expression: 'parameter', name }
}

export function variable(name: string): Expression {
  return { expression: 'variable', name }
}

export function call(name: string, args: readonly Value[], members: readonly string[] = []): Expression {
  return { expression: 'call', name, args, members }
}

export function text(...parts: readonly (string | Expression)[]): Expression {
  return { expression: 'text', parts }
}

export function choice(condition: Expression, yes: Value, no: Value): Expression {
  return { expression: 'choice', condition, yes, no }
}

export function idOf(resource: Resource): Expression {
  return { expression: 'id', resource }
}

export function firstKeyOf(resource: Resource): Expression {
  return { expression: 'firstKey', resource }
}

/** Refers to a property of a resource; `path` begins below `properties`. */
export function propertyOf(resource: Resource, ...path: readonly string[]): Expression {
  return { expression: 'property', resource, path }
}

export function keyed(key: Expression, value: Value): Expression {
  return { expression: 'keyed', key, value }
}

export function isExpression(value: Value): value is Expression {
  return typeof value === 'object' && value !== null && 'expression' in value
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value)
}

/** Returns the resources that a value refers to. */
export function resourcesIn(value: Value): readonly Resource[] {
  if (typeof value !== 'object' || value === null) return []
  if (isList(value)) return value.flatMap(resourcesIn)
  if (!isExpression(value)) return Object.values(value).flatMap(resourcesIn)
  switch (value.expression) {
    case 'parameter':
    case 'variable':
      return []
    case 'call':
      return value.args.flatMap(resourcesIn)
    case 'text':
      return value.parts.flatMap(resourcesIn)
    case 'choice':
      return [value.condition, value.yes, value.no].flatMap(resourcesIn)
    case 'id':
    case 'firstKey':
    case 'property':
      return [value.resource]
    case 'keyed':
      return [value.key, value.value].flatMap(resourcesIn)
    default:
      return value satisfies never
  }
}

export type Resource = {
  /** The resource's name in Bicep. */
  readonly symbol: string
  /** `Microsoft.Storage/storageAccounts`; a child's type begins with its parent's. */
  readonly type: string
  readonly apiVersion: string
  /** The resource's own name, without its parent's. */
  readonly name: Value
  readonly parent?: Resource
  /** The resource that an extension resource belongs to. */
  readonly scope?: Resource
  /** True: the resource already exists and the template only refers to it. */
  readonly existing?: true
  /** Resources that must be made before, without being referred to. */
  readonly after?: readonly Resource[]
  /** The remaining members: location, properties and so on. */
  readonly body?: ValueObject
}
