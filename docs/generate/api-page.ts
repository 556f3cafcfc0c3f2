import { openApi } from '@llm-gateway/gui-api'
import { FAILURE_TEXTS } from './code-texts.ts'
import { anchored, code, page, plain, sentence, table } from './markdown.ts'
import { type SettingRow, schemaRows } from './schema-rows.ts'
import { isObject } from './values.ts'

type Json = Readonly<Record<string, unknown>>

/** Writes the page of the web interface's JSON API from its OpenAPI documents. */
export function apiPage(): string {
  const operations = operationsOfBoth()
  return page('JSON API of the web interface', [
    'The page of the web interface and scripts speak this API. `/api/v1/openapi.json` is the same as an OpenAPI 3.1 document.',
    'Scripts send `Authorization: Bearer <GUI_SECRET>`. A browser session has a cookie and sends `X-Csrf-Token` with each request that changes something.',
    '## Requests',
    table(
      ['Request', 'Edition', 'Meaning', 'Login'],
      operations.map(({ title, edition, operation }) => [
        `[${code(title)}](#${slugOf(title)})`,
        edition,
        sentence(String(operation.summary)),
        Array.isArray(operation.security) && operation.security.length === 0 ? 'no' : 'yes',
      ]),
    ),
    ...operations.flatMap(operationParts),
    '## Failures',
    'A request that fails answers with a code and a message. Every request may fail with `NOT_LOGGED_IN`, `FOREIGN_REQUEST`, `HOST_NOT_ALLOWED`, `BAD_REQUEST`, `BODY_TOO_LARGE`, `NOT_FOUND` and `INTERNAL`.',
    fields(schemaAt(openApi('', 'standalone'), 'components', 'schemas', 'Failure')),
    table(
      ['Code', 'Meaning'],
      Object.entries(FAILURE_TEXTS).map(([name, text]) => [anchored(name), plain(text)]),
    ),
  ])
}

/** Returns the anchor of a request's heading. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}

type Operation = { readonly title: string; readonly operation: Json }
type EditionOperation = Operation & { readonly edition: 'both' | 'standalone' | 'Kubernetes' }

/** Returns the requests of both editions, then those of one edition only. */
function operationsOfBoth(): readonly EditionOperation[] {
  const standalone = operationsOf(openApi('', 'standalone'))
  const kubernetes = operationsOf(openApi('', 'kubernetes'))
  const has = (operations: readonly Operation[], { title }: Operation) => operations.some((one) => one.title === title)
  return [
    ...standalone.filter((one) => has(kubernetes, one)).map((one) => ({ ...one, edition: 'both' as const })),
    ...standalone.filter((one) => !has(kubernetes, one)).map((one) => ({ ...one, edition: 'standalone' as const })),
    ...kubernetes.filter((one) => !has(standalone, one)).map((one) => ({ ...one, edition: 'Kubernetes' as const })),
  ]
}

function operationsOf(document: Json): readonly Operation[] {
  const paths = isObject(document.paths) ? document.paths : {}
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      operation: isObject(operation) ? operation : {},
    })),
  )
}

function operationParts({ title, operation }: Operation): readonly string[] {
  const parameters = (Array.isArray(operation.parameters) ? operation.parameters : []).filter(isObject)
  const body = jsonSchema(operation.requestBody)
  const answer = isObject(operation.responses) ? operation.responses['200'] : undefined
  const failures = isObject(operation.responses) ? operation.responses.default : undefined
  const named = isObject(failures) ? String(failures.description).split(' ').slice(1) : []
  return [
    `### ${code(title)}`,
    sentence(String(operation.summary)),
    parameters.length === 0
      ? ''
      : table(
          ['Parameter', 'In', 'Required'],
          parameters.map((one) => [code(String(one.name)), String(one.in), one.required === true ? 'yes' : 'no']),
        ),
    body === undefined ? '' : `Body:\n\n${fields(body)}`,
    fields(jsonSchema(answer)) === '' ? '' : `Answer:\n\n${fields(jsonSchema(answer))}`,
    named.length === 0 ? '' : `Fails with ${named.map(code).join(', ')}.`,
  ]
}

function jsonSchema(holder: unknown): unknown {
  const content = isObject(holder) ? holder.content : undefined
  const [kind] = isObject(content) ? Object.values(content) : []
  return isObject(kind) ? kind.schema : undefined
}

function fields(schema: unknown): string {
  const rows = variants(schema).flatMap((one) => [...schemaRows(one)])
  const known = new Map(rows.map((row) => [row.path, row]))
  if (known.size === 0) return ''
  const all = [...known.values()]
  // Names of most requests speak for themselves: a column without a text would stay empty.
  const hasMeaning = all.some(({ description }) => description !== '')
  const head = ['Field', 'Type', 'Required', ...(hasMeaning ? ['Meaning'] : [])]
  return table(
    head,
    all.map((row) => fieldCells(row).slice(0, head.length)),
  )
}

/** Returns all forms of a schema: a page shows the fields of each. */
function variants(schema: unknown): readonly unknown[] {
  if (!isObject(schema)) return []
  const several = schema.anyOf ?? schema.oneOf
  return Array.isArray(several) ? several.flatMap(variants) : [schema]
}

function fieldCells({ path, type, required, description }: SettingRow): readonly string[] {
  return [code(path), type, required ? 'yes' : 'no', plain(sentence(description))]
}

function schemaAt(document: Json, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((node, name) => (isObject(node) ? node[name] : undefined), document)
}
