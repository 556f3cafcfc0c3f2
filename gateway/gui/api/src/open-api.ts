import { z } from 'zod'
import { type Edition, type Endpoint, endpoints } from './endpoints.ts'
import { failureSchema } from './failure-answer.ts'

type Json = Readonly<Record<string, unknown>>

/** Returns the OpenAPI 3.1 document of an edition, for scripts. */
export function openApi(version: string, edition: Edition): Json {
  const paths: Record<string, Record<string, Json>> = {}
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    if (endpoint.edition !== undefined && endpoint.edition !== edition) continue
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(name, endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'LLM gateway, web interface', version },
    components: {
      securitySchemes: {
        secret: { type: 'http', scheme: 'bearer', description: 'GUI_SECRET' },
        session: { type: 'apiKey', in: 'cookie', name: 'gateway_session' },
      },
      schemas: { Failure: schemaOf(failureSchema, 'output') },
    },
    paths,
  }
}

function operation(operationId: string, endpoint: Endpoint): Json {
  const { summary, access, body, answer, events, failures } = endpoint
  const content = {
    [events ? 'text/event-stream' : 'application/json']: { schema: schemaOf(answer, 'output') },
  }
  return {
    operationId,
    summary,
    security: access === 'open' ? [] : [{ secret: [] }, { session: [] }],
    parameters: [...parametersOf('path', endpoint.parameters), ...parametersOf('query', endpoint.query)],
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body, 'input') } } } }),
    responses: {
      200: { description: events ? 'Server-sent events' : 'OK', content },
      default: {
        description: ['Failure', ...failures].join(' '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Failure' } } },
      },
    },
  }
}

function parametersOf(place: 'path' | 'query', schema: z.ZodObject | undefined): readonly Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, part]) => ({
    name,
    in: place,
    required: place === 'path' || !z.safeParse(part, undefined).success,
    schema: schemaOf(part, 'input'),
  }))
}

function schemaOf(schema: z.core.$ZodType, io: 'input' | 'output'): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
