import { z } from 'zod'
import { type Edition, type Endpoint, failuresOf } from './endpoint.ts'
import { ENDPOINT_GROUPS } from './endpoints.ts'
import { FAILURES } from './failure.ts'
import { failureSchema } from './failure-answer.ts'

type Json = Readonly<Record<string, unknown>>

/** Returns the OpenAPI 3.1 document of an edition, for scripts. */
export function openApi(version: string, edition: Edition): Json {
  const schemas = new Map<string, Json>()
  const failure = schemaOf(failureSchema, { io: 'output', schemas })
  const paths: Record<string, Record<string, Json>> = {}
  const groups = ENDPOINT_GROUPS.map(({ endpoints, ...group }) => ({
    ...group,
    endpoints: Object.entries(endpoints).filter(
      ([, endpoint]) => endpoint.edition === undefined || endpoint.edition === edition,
    ),
  })).filter(({ endpoints }) => endpoints.length > 0)
  for (const { name: tag, endpoints } of groups)
    for (const [name, endpoint] of endpoints) {
      const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
      const method = endpoint.method.toLowerCase()
      paths[path] = { ...paths[path], [method]: { tags: [tag], ...operation(name, endpoint, { failure, schemas }) } }
    }
  return {
    openapi: '3.1.0',
    info: { title: 'LLM gateway, web interface', version },
    tags: groups.map(({ name, about }) => ({ name, description: about })),
    components: {
      securitySchemes: {
        secret: { type: 'http', scheme: 'bearer', description: 'GUI_SECRET' },
        session: { type: 'apiKey', in: 'cookie', name: 'gateway_session' },
      },
      schemas: Object.fromEntries([...schemas].toSorted(([one], [other]) => (one < other ? -1 : 1))),
    },
    paths,
  }
}

type Parts = { readonly failure: Json; readonly schemas: Map<string, Json> }

function operation(operationId: string, endpoint: Endpoint, { failure, schemas }: Parts): Json {
  const { summary, access, body, answer, events } = endpoint
  const content = {
    [events ? 'text/event-stream' : 'application/json']: { schema: schemaOf(answer, { io: 'output', schemas }) },
  }
  const parameters = (['path', 'query'] as const).flatMap((place) => parametersOf(place, endpoint, schemas))
  return {
    operationId,
    summary,
    security: access === 'open' ? [] : [{ secret: [] }, { session: [] }],
    parameters,
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(body, { io: 'input', schemas }) } },
          },
        }),
    responses: {
      200: { description: events ? 'Server-sent events' : 'OK', content },
      ...failureAnswers(endpoint, failure),
    },
  }
}

/** Returns the failed answers by status, each with its codes. */
function failureAnswers(endpoint: Endpoint, schema: Json): Json {
  const byStatus = Map.groupBy(failuresOf(endpoint), (code) => FAILURES[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `${code}: ${FAILURES[code].meaning}`).join('\n'),
        'x-codes': codes,
        content: { 'application/json': { schema } },
      },
    ]),
  )
}

function parametersOf(place: 'path' | 'query', endpoint: Endpoint, schemas: Map<string, Json>): readonly Json[] {
  const parts = place === 'path' ? endpoint.parameters : endpoint.query
  return Object.entries(parts?.shape ?? {}).map(([name, part]) => {
    const { description, ...schema } = schemaOf(part, { io: 'input', schemas })
    const required = place === 'path' || !z.safeParse(part, undefined).success
    return { name, in: place, required, description, schema }
  })
}

type SchemaUse = { readonly io: 'input' | 'output'; readonly schemas: Map<string, Json> }

/** Converts a schema. Schemas with an id go into `schemas`, and a reference takes their place. */
function schemaOf(schema: z.core.$ZodType, { io, schemas }: SchemaUse): Json {
  const converted = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  const {
    $schema,
    $defs = {},
    ...rest
  }: Json & { $defs?: object } = JSON.parse(
    JSON.stringify(converted).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/'),
  )
  for (const [name, one] of Object.entries($defs)) {
    const known = schemas.get(name)
    // The two forms of a schema differ in defaults: such a schema can't be shared by requests and answers.
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(one)) throw new Error(`two forms of ${name}`)
    schemas.set(name, one)
  }
  return rest
}
