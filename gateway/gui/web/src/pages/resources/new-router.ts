import type { ResourcePlace } from '../../api/resource-queries.ts'
import type { Preset } from '../routers/presets.ts'
import type { GatewayName } from './drafts.ts'

/** A key of a Secret in the Router's namespace; empty texts mean none. */
export type KeyPlace = { readonly secret: string; readonly key: string }

export type WantedRouter = {
  readonly gateway: GatewayName
  readonly place: ResourcePlace
  readonly path: string
  readonly url: string
  /** The header for the LLM API's key, with a reference to a variable. */
  readonly header: Preset['header']
  readonly apiKey: KeyPlace
  readonly callerKey: KeyPlace
}

const CALLER_KEY = 'CALLER_KEY'

/** Returns a Router with only the wanted fields. */
export function newRouter({ gateway, place, path, url, header, apiKey, callerKey }: WantedRouter): object {
  const { namespace, name } = place
  const variable = header === undefined ? undefined : /\$\{(\w+)\}/.exec(header[1])?.[1]
  const hasApiKey = header !== undefined && variable !== undefined && isGiven(apiKey)
  const env = [
    ...(hasApiKey ? [envEntry(variable, apiKey)] : []),
    ...(isGiven(callerKey) ? [envEntry(CALLER_KEY, callerKey)] : []),
  ]
  const reference = {
    name: gateway.gateway,
    ...(namespace === gateway.namespace ? {} : { namespace: gateway.namespace }),
  }
  return {
    apiVersion: 'llmgateway.io/v1alpha1',
    kind: 'Router',
    metadata: { name, namespace },
    spec: {
      gatewayRef: reference,
      path,
      ...(isGiven(callerKey) ? { ingress: { headers: { 'Api-Key': [`\${${CALLER_KEY}}`] } } } : {}),
      outbound: { url, ...(hasApiKey ? { headers: { [header[0]]: [header[1]] } } : {}) },
      ...(env.length === 0 ? {} : { env }),
    },
  }
}

function isGiven({ secret, key }: KeyPlace): boolean {
  return secret !== '' && key !== ''
}

function envEntry(name: string, { secret, key }: KeyPlace): object {
  return { name, valueFrom: { secretKeyRef: { name: secret, key } } }
}
