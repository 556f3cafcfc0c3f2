import type { Parameter, Template } from './template.ts'
import {
  type Expression,
  isExpression,
  isList,
  type Resource,
  resourcesIn,
  type Value,
  type ValueObject,
} from './value.ts'

const SCHEMA = 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#'

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
type JsonObject = Readonly<Record<string, Json>>

/** Writes a template as JSON for Azure Resource Manager; `contentVersion` is the product's. */
export function toArm(template: Template, contentVersion: string): string {
  const { description, parameters, variables, resources, outputs } = template
  const made = resources.filter(({ existing }) => existing !== true)
  const json: JsonObject = {
    $schema: SCHEMA,
    contentVersion,
    metadata: { description, generated: 'by `make generate` from deploy/azure; don’t edit it' },
    parameters: mapped(parameters, parameterJson),
    variables: mapped(variables, valueJson),
    resources: made.map(resourceJson),
    outputs: mapped(outputs, ({ description, value }) => ({
      type: 'string',
      metadata: { description },
      value: valueJson(value),
    })),
  }
  return `${JSON.stringify(json, undefined, 2)}\n`
}

function parameterJson({ type, secure, default: fallback, allowed, description, ...limits }: Parameter): JsonObject {
  return {
    type: secure === true ? 'securestring' : type,
    ...(fallback === undefined ? {} : { defaultValue: valueJson(fallback) }),
    ...(allowed === undefined ? {} : { allowedValues: allowed }),
    ...limits,
    metadata: { description },
  }
}

function resourceJson(resource: Resource): JsonObject {
  const { type, apiVersion, scope, body = {} } = resource
  const needed = neededBy(resource).map((other) => `[${idText(other)}]`)
  return {
    type,
    apiVersion,
    ...(scope === undefined ? {} : { scope: `[${idText(scope)}]` }),
    name: nameJson(resource),
    ...mapped(body, valueJson),
    ...(needed.length === 0 ? {} : { dependsOn: needed }),
  }
}

/** Returns the resources of this deployment that must exist before; Bicep derives them from references. */
function neededBy({ name, parent, scope, after = [], body = {} }: Resource): readonly Resource[] {
  const named = [parent, scope].filter((other) => other !== undefined)
  const all = new Set([...named, ...resourcesIn(name), ...resourcesIn(body), ...after])
  return [...all].filter(({ existing }) => existing !== true)
}

function nameJson(resource: Resource): Json {
  const names = namesOf(resource)
  if (names.length === 1) return valueJson(resource.name)
  if (names.every((name) => typeof name === 'string')) return names.join('/')
  const form = names.map((_, index) => `{${index}}`).join('/')
  return `[format('${form}', ${names.map(argument).join(', ')})]`
}

function namesOf({ name, parent }: Resource): readonly Value[] {
  return parent === undefined ? [name] : [...namesOf(parent), name]
}

function idText(resource: Resource): string {
  return `resourceId('${resource.type}', ${namesOf(resource).map(argument).join(', ')})`
}

function valueJson(value: Value): Json {
  // Escapes a text that would be taken for an expression.
  if (typeof value === 'string') return value.startsWith('[') ? `[${value}` : value
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) return value.map(valueJson)
  if (!isExpression(value)) return mapped(value, valueJson)
  if (value.expression !== 'keyed') return `[${expressionText(value)}]`
  return { [`[${expressionText(value.key)}]`]: valueJson(value.value) }
}

/** Writes a value inside an expression, where objects and lists are calls. */
function argument(value: Value): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null) return 'null()'
  if (typeof value === 'boolean') return `${value}()`
  if (typeof value === 'number') return String(value)
  if (isList(value)) return `createArray(${value.map(argument).join(', ')})`
  if (isExpression(value)) return expressionText(value)
  return `createObject(${members(value)})`
}

function members(value: ValueObject): string {
  return Object.entries(value)
    .map(([key, member]) => `${quoted(key)}, ${argument(member)}`)
    .join(', ')
}

function expressionText(value: Expression): string {
  switch (value.expression) {
    case 'parameter':
      return `parameters('${value.name}')`
    case 'variable':
      return `variables('${value.name}')`
    case 'call':
      return [`${value.name}(${value.args.map(argument).join(', ')})`, ...value.members].join('.')
    case 'text':
      return formatText(value.parts)
    case 'choice':
      return `if(${argument(value.condition)}, ${argument(value.yes)}, ${argument(value.no)})`
    case 'id':
      return idText(value.resource)
    case 'firstKey':
      return `listKeys(${idText(value.resource)}, '${value.resource.apiVersion}').keys[0].value`
    case 'property':
      return [`reference(${idText(value.resource)}, '${value.resource.apiVersion}')`, ...value.path].join('.')
    case 'keyed':
      return `createObject(${argument(value.key)}, ${argument(value.value)})`
    default:
      return value satisfies never
  }
}

function formatText(parts: readonly (string | Expression)[]): string {
  const values = parts.filter((part) => typeof part !== 'string')
  let index = 0
  const form = parts
    .map((part) => (typeof part === 'string' ? part.replaceAll(/[{}]/g, '$&$&') : `{${index++}}`))
    .join('')
  return `format(${[quoted(form), ...values.map(expressionText)].join(', ')})`
}

function quoted(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}

function mapped<From>(object: Readonly<Record<string, From>>, change: (value: From) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
}
