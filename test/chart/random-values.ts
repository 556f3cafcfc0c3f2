import type { Random } from '../operator/random.ts'

export type Values = Readonly<Record<string, unknown>>
export type RandomInstall = {
  readonly release: string
  readonly namespace: string
  readonly gatewayClass: string
  /** True if the values make an LLMGateway. */
  readonly hasGateway: boolean
  readonly values: Values
}

const RESOURCES: readonly Values[] = [
  { requests: { cpu: '50m' } },
  { limits: { memory: '1Gi' } },
  { requests: { cpu: 1, memory: '64Mi' }, limits: { cpu: 2, memory: '2Gi' } },
]
const LABELS: readonly Values[] = [{}, { team: 'a' }, { team: 'b', 'example.com/cost-centre': '42' }]
const PROCESSORS: readonly Values[] = [
  { type: 'CharacterCount' },
  { type: 'Tokenizer', replicas: 2 },
  { type: 'TokenCounter', env: [{ name: 'A', value: 'b' }] },
  {
    type: 'Custom',
    custom: { image: 'registry.example/pii:1', config: { any: ['json'] } },
    request: { order: 20, timeoutMs: 500, inputFields: ['ingress_payload'], outputFields: ['control'] },
  },
]

/** Returns valid values of the chart with names that depend on the number. */
export function randomInstall(random: Random, number: number): RandomInstall {
  const namespace = `random-${number}`
  const gatewayClass = `class-${number}`
  const watched = random.chance(0.3) ? [namespace] : []
  const demo = random.chance(0.3)
  const gateway = !demo && random.chance(0.6)
  return {
    release: random.pick(['gw', 'llm-gateway', 'r', 'a-release-with-a-long-name-that-must-be-cut']),
    namespace,
    gatewayClass,
    hasGateway: demo || gateway,
    values: {
      ...withProbability(random, 0.2, { nameOverride: 'named' }),
      ...withProbability(random, 0.2, { fullnameOverride: `whole-${number}` }),
      commonLabels: random.pick(LABELS),
      commonAnnotations: random.pick([{}, { note: 'text: with "quotes" and {{ braces }}' }]),
      image: randomImage(random),
      imagePullSecrets: random.pick([[], [{ name: 'registry' }], [{ name: 'registry' }, { name: 'other' }]]),
      operator: { ...randomOperator(random), class: gatewayClass, watchNamespaces: watched },
      rbac: { aggregate: random.chance(0.5) },
      admissionPolicies: { enabled: random.chance(0.8) },
      networkPolicies: { enabled: random.chance(0.5) },
      // Rare, because a Job takes seconds and has a test of its own.
      crds: { apply: random.chance(0.1) },
      demo: { enabled: demo },
      gateway: { enabled: gateway, ...(demo || gateway ? randomGateway(random) : {}) },
      ...(gateway ? randomKeys(random) : {}),
      ...(demo || gateway ? randomResources(random) : {}),
      monitoring: {
        podMonitors: { enabled: random.chance(0.3), labels: random.pick(LABELS) },
        alerts: { enabled: random.chance(0.3), labels: random.pick(LABELS) },
        dashboards: { enabled: random.chance(0.3) },
      },
      extraObjects: random.pick<readonly Values[]>([
        [],
        [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-extra' } }],
      ]),
    },
  }
}

function randomImage(random: Random): Values {
  return {
    ...withProbability(random, 0.3, { registry: 'registry.example:5000' }),
    ...withProbability(random, 0.3, { repository: 'mirror/llm-gateway' }),
    ...withProbability(random, 0.3, { tag: 'v1.2.3_x' }),
    ...withProbability(random, 0.3, { digest: `sha256:${'0a'.repeat(32)}` }),
    pullPolicy: random.pick(['Always', 'IfNotPresent', 'Never']),
  }
}

function randomOperator(random: Random): Values {
  return {
    replicas: random.below(4),
    resources: random.pick(RESOURCES),
    podLabels: random.pick(LABELS),
    podAnnotations: random.pick(LABELS),
    ...withProbability(random, 0.3, { nodeSelector: { 'kubernetes.io/os': 'linux' } }),
    ...withProbability(random, 0.3, { tolerations: [{ operator: 'Exists' }] }),
    ...withProbability(random, 0.3, { priorityClassName: 'system-cluster-critical' }),
    ...withProbability(random, 0.3, { serviceAccount: { name: 'someone' } }),
    podDisruptionBudget: { enabled: random.chance(0.7) },
  }
}

function randomGateway(random: Random): Values {
  return {
    name: random.pick(['main', 'front', 'g']),
    labels: random.pick(LABELS),
    annotations: random.pick(LABELS),
    spec: {
      ...withProbability(random, 0.3, { allowedRouters: { namespaces: { from: 'All' }, paths: 'Any' } }),
      ...withProbability(random, 0.3, { limits: { drainSeconds: 60, requestBytes: 1_048_576 } }),
      ...withProbability(random, 0.3, { sharedEnv: [{ name: 'REGION', value: 'eu', namespaces: { from: 'All' } }] }),
      ...withProbability(random, 0.3, { record: { sinks: { file: {} } } }),
      ...withProbability(random, 0.3, { pod: { resources: random.pick(RESOURCES) } }),
    },
    autoscaling: { enabled: random.chance(0.3) },
    ...withProbability(random, 0.3, { ingress: { enabled: true, hosts: ['llm.example'] } }),
  }
}

function randomKeys(random: Random): Values {
  const aiServiceApiBase = random.pick(['https://res.example/', 'https://res.example:8443/v1', 'http://llm.internal/'])
  const key = random.pick<Values>([
    {},
    { aiServiceApiKey: 'real "key" $x' },
    { aiServiceApiKeySecretRef: { name: 'keys', key: 'real' } },
  ])
  const callers = random.pick<Values>([
    { gatewayApiKey: 'callers' },
    { gatewayApiKeySecretRef: { name: 'keys', key: 'a' } },
  ])
  return {
    ...withProbability(random, 0.3, { natsToken: '123456' }),
    ...withProbability(random, 0.3, { guiSecret: '654321' }),
    ...(random.chance(0.7) ? { aiServiceApiBase, ...key, ...(Object.keys(key).length > 0 ? callers : {}) } : {}),
  }
}

function randomResources(random: Random): Values {
  const outbound = { url: 'https://own.example/' }
  return {
    routers: {
      ...withProbability(random, 0.3, { standard: null }),
      ...withProbability(random, 0.5, { own: { path: '/own/', outbound } }),
      ...withProbability(random, 0.3, { hidden: { path: '/hidden/x/', internal: true, outbound } }),
    },
    processors: withProbability(random, 0.5, { one: random.pick(PROCESSORS) }),
  }
}

function withProbability(random: Random, probability: number, values: Values): Values {
  return random.chance(probability) ? values : {}
}
