import assert from 'node:assert/strict'
import { type CheckedGlConfig, checkGlConfig, type Environment, type ProcessorEntry } from '@llm-gateway/conf'
import { isObject, valueAt } from '@llm-gateway/kube'
import { decodeResources } from '../render/decode-resources.ts'
import { parseFile } from '../render/parse-file.ts'
import { type RenderedGateway, render } from '../render/render.ts'
import { yamlStream } from '../render/write-rendered.ts'

/** Returns YAML of resources in which every fill-in has a value. */
export function filledIn(yaml: string, environment: Environment): string {
  const filled = objectsIn(yaml).map((object) => {
    const written = valueAt(object, 'stringData')
    if (!isObject(object) || !isObject(written)) return object
    return {
      ...object,
      stringData: Object.fromEntries(Object.keys(written).map((key) => [key, environment[key] ?? 'x'])),
    }
  })
  return yamlStream(filled)
}

function objectsIn(yaml: string): readonly unknown[] {
  const parsed = parseFile('resources.yaml', yaml)
  assert.ok(parsed.kind === 'objects', JSON.stringify(parsed))
  return parsed.objects
}

/** Renders YAML resources as the operator does. */
export function renderedFrom(yaml: string): RenderedGateway {
  const decoded = decodeResources(objectsIn(yaml).map((object) => ({ file: 'resources.yaml', object })))
  assert.ok(decoded.kind === 'decoded', JSON.stringify(decoded))
  const [gateway] = render(decoded.resources, 'image').gateways
  assert.ok(gateway !== undefined)
  return gateway
}

/** `routers`: path → the router that answers there, or the kind of an entry that doesn't answer. */
type Running = { readonly routers: Readonly<Record<string, object | string>> }

/** Returns routers and rows as the gateway runs them, without orders that have no effect. */
export function runsAs(file: string, references: Parameters<typeof checkGlConfig>[1]): Running {
  const check = checkGlConfig(Buffer.from(file), references)
  assert.equal(check.kind, 'checked')
  assert.ok(check.kind === 'checked')
  return { routers: routersOf(check.config), ...rowsOf(check.config), ...identityOf(check.config) }
}

function routersOf({ routers }: CheckedGlConfig): Running['routers'] {
  return Object.fromEntries(
    routers
      .map((router) => {
        if (router.kind !== 'active') return [router.path, router.kind] as const
        const { internal, ingressHeaders, outbound } = router
        return [
          router.path,
          {
            internal,
            ingressHeaders: headersOf(ingressHeaders),
            outbound: {
              ...outbound,
              headers: headersOf(outbound.headers),
              filledParameters: [],
              shownUrlPath: undefined,
              shownEndpointPath: undefined,
            },
          },
        ] as const
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

function headersOf(headers: readonly { readonly name: string; readonly values: readonly string[] }[]): object {
  return Object.fromEntries(headers.map(({ name, values }) => [name, values]))
}

function rowsOf({ settings, routers }: CheckedGlConfig): object {
  const all = routers.map(({ path }) => path).filter((path) => path !== '/echo/' && !path.startsWith('/mock/'))
  const row = (phase: string) => (entries: readonly ProcessorEntry[]) =>
    entries
      .map((entry) => ({
        ...entry,
        input_fields_include: entry.input_fields_include.toSorted(),
        output_fields_write: entry.output_fields_write.toSorted(),
        routers: (entry.routers ?? all).toSorted(),
        // Only the request's gl_path re-routes.
        reroute_to:
          phase === 'request' && entry.output_fields_write.includes('gl_path')
            ? (entry.reroute_to ?? all).toSorted()
            : [],
      }))
      .sort((a, b) => (`${a.name} ${a.async}` < `${b.name} ${b.async}` ? -1 : 1))
  const rows = (phase: 'request' | 'response') =>
    settings[phase].processors.filter(({ length }) => length > 0).map(row(phase))
  return { request: rows('request'), response: rows('response') }
}

function identityOf({ settings }: CheckedGlConfig): object {
  const { gateway_id, session_id_header, limits, logger, log_unauthorized } = settings
  return { gateway_id, session_id_header, limits, logger, log_unauthorized }
}
