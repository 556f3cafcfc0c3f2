const API = 'llmgateway.io/v1alpha1'

export function namespaceOf(name: string, labels: object = { llm: 'yes' }): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }
}

export function secretOf(namespace: string, name: string, texts: Readonly<Record<string, string>>): object {
  const data = Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')])
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data: Object.fromEntries(data) }
}

export function gatewayOf(namespace: string, gatewayClass: string, spec: object = {}, name = 'main'): object {
  return { apiVersion: API, kind: 'LLMGateway', metadata: { name, namespace }, spec: { class: gatewayClass, ...spec } }
}

export type RouterPlace = { readonly namespace: string; readonly name: string; readonly gateway?: string }

/** Returns a Router of the gateway `main` in its namespace, or of `gateway` (namespace/name). */
export function routerOf({ namespace, name, gateway = 'main' }: RouterPlace, spec: object = {}): object {
  const [one = '', other] = gateway.split('/')
  const gatewayRef = other === undefined ? { name: one } : { namespace: one, name: other }
  const whole = { gatewayRef, path: `/${name}/`, outbound: { url: 'https://res.example/' }, ...spec }
  return { apiVersion: API, kind: 'Router', metadata: { name, namespace }, spec: whole }
}

export function processorOf(namespace: string, name: string, spec: object): object {
  return {
    apiVersion: API,
    kind: 'Processor',
    metadata: { name, namespace },
    spec: { gatewayRef: { name: 'main' }, ...spec },
  }
}

/** Returns the first valid and invalid resources of two namespaces, gateway first. */
export function mixedSet(prefix: string, gatewayClass: string): readonly object[] {
  const own = `${prefix}llm`
  const team = `${prefix}team`
  const gateway = `${own}/main`
  const key = (secret: string) => [{ name: 'KEY', valueFrom: { secretKeyRef: { name: secret, key: 'key' } } }]
  const withKey = { url: 'https://res.example/', headers: { 'Api-Key': ['${KEY}'] } }
  return [
    namespaceOf(own),
    namespaceOf(team),
    secretOf(own, 'azure', { key: 'own-key' }),
    secretOf(team, 'azure', { key: 'team-key' }),
    gatewayOf(own, gatewayClass, {
      allowedRouters: { namespaces: { from: 'Selector', selector: { matchLabels: { llm: 'yes' } } } },
      sharedEnv: [
        { name: 'BASE', value: 'https://shared.example/', namespaces: { from: 'All' } },
        { name: 'SHARED', valueFrom: { secretKeyRef: { name: 'azure', key: 'key' } }, hosts: ['shared.example'] },
      ],
    }),
    routerOf({ namespace: own, name: 'plain' }),
    routerOf({ namespace: own, name: 'keyed' }, { outbound: withKey, env: key('azure') }),
    routerOf(
      { namespace: own, name: 'shared' },
      { outbound: { url: '${BASE}', headers: { 'Api-Key': ['${SHARED}'] } } },
    ),
    routerOf(
      { namespace: own, name: 'literal' },
      { outbound: { url: 'https://res.example/', headers: { Price: ['$5'] } } },
    ),
    routerOf({ namespace: own, name: 'no-secret' }, { outbound: withKey, env: key('absent') }),
    routerOf(
      { namespace: team, name: 'keyed', gateway },
      { path: `/${team}/keyed/`, outbound: withKey, env: key('azure') },
    ),
    routerOf({ namespace: team, name: 'not-allowed', gateway }, { path: '/elsewhere/' }),
    routerOf(
      { namespace: team, name: 'thief', gateway },
      { path: `/${team}/steals/`, outbound: { url: '${BASE}', headers: { K: ['${SHARED}'] } } },
    ),
  ]
}

/** Returns Processors for the set: one works, one waits for another's Router, one has a broken image. */
export function mixedProcessors(prefix: string): readonly object[] {
  const namespace = `${prefix}llm`
  const pools = [{ path: '/plain/', members: ['/keyed/', '/nowhere/'] }]
  return [
    processorOf(namespace, 'count', { type: 'CharacterCount', replicas: 1 }),
    processorOf(namespace, 'pool', { type: 'Broker', replicas: 1, broker: { pools } }),
    processorOf(namespace, 'own', {
      type: 'Custom',
      replicas: 1,
      custom: { image: 'broken:1', config: { any: ['json'] } },
      request: { required: true, inputFields: ['gl_path'], outputFields: ['control'] },
    }),
  ]
}
