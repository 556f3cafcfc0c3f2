import type { Output, Parameter, Template } from './template.ts'
import { type Expression, isExpression, isList, type Resource, type Value, type ValueObject } from './value.ts'

const IDENTIFIER = /^[A-Za-z_]\w*$/

/** Writes a template in Bicep, in the layout of its formatter. */
export function toBicep(template: Template): string {
  const { description, parameters, variables, resources, outputs } = template
  const sections = [
    '// Made by `make generate` from deploy/azure; don’t edit it.',
    `metadata description = ${quoted(description)}`,
    ...Object.entries(parameters).map(([name, parameter]) => parameterText(name, parameter)),
    ...Object.entries(variables).map(([name, value]) => `var ${name} = ${valueText(value, '')}`),
    ...resources.map(resourceText),
    ...Object.entries(outputs).map(([name, output]) => outputText(name, output)),
  ]
  return `${sections.join('\n\n')}\n`
}

function parameterText(name: string, parameter: Parameter): string {
  const { type, description, secure, allowed, default: fallback } = parameter
  const limits = (['minValue', 'maxValue', 'minLength', 'maxLength'] as const).flatMap((limit) =>
    parameter[limit] === undefined ? [] : [`@${limit}(${parameter[limit]})`],
  )
  return [
    `@description(${quoted(description)})`,
    ...(secure === true ? ['@secure()'] : []),
    ...(allowed === undefined ? [] : [`@allowed(${valueText(allowed, '')})`]),
    ...limits,
    `param ${name} ${type}${fallback === undefined ? '' : ` = ${valueText(fallback, '')}`}`,
  ].join('\n')
}

function resourceText({ symbol, type, apiVersion, existing, ...resource }: Resource): string {
  const { name, parent, scope, after = [], body = {} } = resource
  const members = [
    ...(parent === undefined ? [] : [`parent: ${parent.symbol}`]),
    ...(scope === undefined ? [] : [`scope: ${scope.symbol}`]),
    `name: ${valueText(name, '  ')}`,
    ...Object.entries(body).map(([key, value]) => `${key}: ${valueText(value, '  ')}`),
    ...(after.length === 0
      ? []
      : [
          `dependsOn: ${block(
            '[',
            after.map(({ symbol }) => symbol),
            ']',
            '  ',
          )}`,
        ]),
  ]
  const head = `resource ${symbol} '${type}@${apiVersion}'${existing === true ? ' existing' : ''}`
  return `${head} = ${block('{', members, '}', '')}`
}

function outputText(name: string, { description, value }: Output): string {
  return `@description(${quoted(description)})\noutput ${name} string = ${valueText(value, '')}`
}

function valueText(value: Value, indent: string): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  if (isList(value))
    return block(
      '[',
      value.map((item) => valueText(item, inner)),
      ']',
      indent,
    )
  if (isExpression(value)) return expressionText(value, indent)
  return block('{', memberTexts(value, inner), '}', indent)
}

function memberTexts(value: ValueObject, indent: string): readonly string[] {
  return Object.entries(value).map(([key, member]) => {
    return `${IDENTIFIER.test(key) ? key : quoted(key)}: ${valueText(member, indent)}`
  })
}

function expressionText(value: Expression, indent: string): string {
  const inner = `${indent}  `
  switch (value.expression) {
    case 'parameter':
    case 'variable':
      return value.name
    case 'call': {
      const args = value.args.map((arg) => valueText(arg, indent)).join(', ')
      return [`${value.name}(${args})`, ...value.members].join('.')
    }
    case 'text': {
      const parts = value.parts.map((part) => (typeof part === 'string' ? escaped(part) : `\${${inline(part)}}`))
      return `'${parts.join('')}'`
    }
    case 'choice':
      return `${inline(value.condition)} ? ${valueText(value.yes, indent)} : ${valueText(value.no, indent)}`
    case 'id':
      return `${value.resource.symbol}.id`
    case 'firstKey':
      return `${value.resource.symbol}.listKeys().keys[0].value`
    case 'property':
      return [value.resource.symbol, 'properties', ...value.path].join('.')
    case 'keyed':
      return block('{', [`'\${${inline(value.key)}}': ${valueText(value.value, inner)}`], '}', indent)
    default:
      return value satisfies never
  }
}

function inline(value: Expression): string {
  return expressionText(value, '')
}

function block(open: string, lines: readonly string[], close: string, indent: string): string {
  if (lines.length === 0) return `${open}${close}`
  return [open, ...lines.map((line) => `${indent}  ${line}`), `${indent}${close}`].join('\n')
}

function quoted(value: string): string {
  return `'${escaped(value)}'`
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', "'": "\\'", '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function escaped(value: string): string {
  return value.replaceAll(/[\\'\n\r\t]/g, (character) => ESCAPES[character] ?? character).replaceAll('${', '\\${')
}
