import { type Endpoint, endpoints, FAILURES, type FailureCode, failuresOf, openApi } from '@llm-gateway/gui-api'
import { API_EXAMPLES, API_INTRODUCTION } from './api-examples.ts'
import { type ApiField, apiForms, type Json, sharedName, typeText } from './api-fields.ts'
import { anchored, code, page, plain, sentence, table } from './markdown.ts'
import { isObject } from './values.ts'

/** Writes the page of the web interface's JSON API from its OpenAPI documents. */
export function apiPage(): string {
  const documents = [openApi('', 'standalone'), openApi('', 'kubernetes')] as const
  const operations = operationsOfBoth(documents)
  const groups = groupsOf(documents)
  return page('JSON API of the web interface', [
    ...API_INTRODUCTION,
    '## Requests',
    table(
      ['Request', 'Meaning', 'Edition'],
      groups.flatMap(({ name }) =>
        operations
          .filter(({ group }) => group === name)
          .map(({ title, edition, operation }) => [
            `[${code(title)}](#${slugOf(title)})`,
            sentence(String(operation.summary)),
            edition,
          ]),
      ),
    ),
    ...groups.flatMap(({ name, about }) => [
      `## ${name}`,
      about,
      ...(API_EXAMPLES[name] ?? []),
      ...operations.filter(({ group }) => group === name).flatMap(operationParts),
    ]),
    '## Objects',
    'Objects that several requests and answers have.',
    ...objectParts(documents),
    '## Failures',
    'An answer with a status from 400 on has this body:',
    ...formParts(schemasOf(documents[0]).Failure, 'answer'),
    table(
      ['Code', 'Status', 'Meaning'],
      Object.entries(FAILURES).map(([name, { status, meaning }]) => [anchored(name), String(status), plain(meaning)]),
    ),
  ])
}

type Documents = readonly [Json, Json]
type Operation = { readonly title: string; readonly group: string; readonly operation: Json }
type EditionOperation = Operation & { readonly edition: 'both' | 'standalone' | 'Kubernetes' }

/** Returns the anchor of a request's heading. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}

/** Returns the groups of requests: those of the files before those of the cluster. */
function groupsOf(documents: Documents): readonly { readonly name: string; readonly about: string }[] {
  const tags = documents.flatMap(({ tags }) => (Array.isArray(tags) ? tags : [])).filter(isObject)
  const groups = new Map(tags.map(({ name, description }) => [String(name), String(description)]))
  return [...groups].map(([name, about]) => ({ name, about }))
}

/** Returns the requests of both editions, then those of one edition only. */
function operationsOfBoth([first, second]: Documents): readonly EditionOperation[] {
  const [standalone, kubernetes] = [operationsOf(first), operationsOf(second)]
  const has = (operations: readonly Operation[], { title }: Operation) =>
    operations.some((operation) => operation.title === title)
  return [
    ...standalone.map((operation) => ({
      ...operation,
      edition: has(kubernetes, operation) ? ('both' as const) : ('standalone' as const),
    })),
    ...kubernetes
      .filter((operation) => !has(standalone, operation))
      .map((operation) => ({ ...operation, edition: 'Kubernetes' as const })),
  ]
}

function operationsOf(document: Json): readonly Operation[] {
  const paths = isObject(document.paths) ? document.paths : {}
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).map(([method, written]) => {
      const operation = isObject(written) ? written : {}
      const group = Array.isArray(operation.tags) ? String(operation.tags[0]) : ''
      return { title: `${method.toUpperCase()} ${path}`, group, operation }
    }),
  )
}

function operationParts({ title, operation }: Operation): readonly string[] {
  const parameters = (Array.isArray(operation.parameters) ? operation.parameters : []).filter(isObject)
  const body = jsonSchema(operation.requestBody)
  const responses = isObject(operation.responses) ? operation.responses : {}
  const { 200: answer } = responses
  return [
    `### ${code(title)}`,
    sentence(String(operation.summary)),
    parameters.length === 0 ? '' : parameterTable(parameters),
    ...(body === undefined ? [] : schemaParts('Body', body)),
    ...schemaParts(isObject(answer) && hasEvents(answer) ? 'Events' : 'Answer', jsonSchema(answer)),
    ...failureLines(title),
  ]
}

function parameterTable(parameters: readonly Json[]): string {
  return table(
    ['Parameter', 'In', 'Type', 'Required', 'Meaning'],
    parameters.map(({ name, in: place, required, schema, description }) => {
      const { default: value }: Json = isObject(schema) ? schema : {}
      const otherwise = value === undefined ? undefined : JSON.stringify(value)
      return [
        code(String(name)),
        String(place),
        typeText(schema),
        requiredText(required === true, otherwise),
        plain(String(description)),
      ]
    }),
  )
}

function hasEvents(answer: Json): boolean {
  return isObject(answer.content) && 'text/event-stream' in answer.content
}

/** Returns the failures of a request: its own, and those that it shares with most requests. */
function failureLines(title: string): readonly string[] {
  const endpoint = Object.values<Endpoint>(endpoints).find(
    ({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}` === title,
  )
  if (endpoint === undefined) throw new Error(`no endpoint is ${title}`)
  const own = endpoint.failures
  const others = failuresOf(endpoint).filter((code) => !own.includes(code))
  return [
    own.length === 0 ? '' : `Failures: ${failureLinks(own)}.`,
    `${own.length === 0 ? 'Failures' : 'Failures of most requests'}: ${failureLinks(others)}.`,
  ]
}

function failureLinks(codes: readonly FailureCode[]): string {
  const byStatus = Map.groupBy(codes, (name) => FAILURES[name].status)
  return [...byStatus]
    .toSorted(([one], [other]) => one - other)
    .map(([status, names]) => `${status} ${names.map((name) => `[${code(name)}](#${name})`).join(' ')}`)
    .join(', ')
}

function jsonSchema(holder: unknown): unknown {
  const content = isObject(holder) ? holder.content : undefined
  const [kind] = isObject(content) ? Object.values(content) : []
  return isObject(kind) ? kind.schema : undefined
}

function schemaParts(what: 'Body' | 'Answer' | 'Events', schema: unknown): readonly string[] {
  if (sharedName(schema) !== undefined) return [`${what}: ${typeText(schema)}.`]
  const parts = formParts(schema, what === 'Body' ? 'request' : 'answer')
  if (parts.length > 0) return [`${what}:`, ...parts]
  const about = isObject(schema) && typeof schema.description === 'string' ? ` ${plain(schema.description)}` : ''
  return [`${what}: ${typeText(schema)}.${about}`]
}

/** Returns a table of each form of a schema. */
function formParts(schema: unknown, side: 'request' | 'answer'): readonly string[] {
  return apiForms(schema).flatMap(({ description, fields }) =>
    fields.length === 0 ? [] : [...(description === '' ? [] : [plain(description)]), fieldTable(fields, side)],
  )
}

function fieldTable(fields: readonly ApiField[], side: 'request' | 'answer'): string {
  const isRequest = side === 'request'
  return table(
    ['Field', 'Type', ...(isRequest ? ['Required'] : []), 'Meaning'],
    fields.map(({ path, type, required, defaultValue, description }) => [
      code(path),
      type,
      ...(isRequest ? [requiredText(required, defaultValue)] : []),
      plain(description),
    ]),
  )
}

function requiredText(required: boolean, defaultValue: string | undefined): string {
  if (required) return 'yes'
  return defaultValue === undefined ? 'no' : `default ${code(defaultValue)}`
}

function schemasOf(document: Json): Json {
  const components = isObject(document.components) ? document.components : {}
  return isObject(components.schemas) ? components.schemas : {}
}

/** Returns the shared objects by name. Those of failures have a section of their own. */
function objectParts(documents: Documents): readonly string[] {
  const schemas = new Map(documents.flatMap((document) => Object.entries(schemasOf(document))))
  return [...schemas]
    .filter(([name]) => name !== 'Failure' && name !== 'FailureCode')
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, schema]) => {
      const parts = formParts(schema, name === 'Edit' ? 'request' : 'answer')
      const about = isObject(schema) ? plain(String(schema.description)) : ''
      return [`### ${name}`, about, ...(parts.length === 0 ? [`Type: ${typeText(schema)}.`] : parts)]
    })
}
