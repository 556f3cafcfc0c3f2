import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type ApiServer, startApiServer, whyNoApiServer } from '@llm-gateway/test/fake/api-server'

const API = 'llmgateway.io/v1alpha1'
const url = 'https://res.example/'

function router(spec: object, name = 'a'): object {
  return { apiVersion: API, kind: 'Router', metadata: { name, namespace: 'default' }, spec }
}

function gateway(spec: object, name = 'a'): object {
  return { apiVersion: API, kind: 'LLMGateway', metadata: { name, namespace: 'default' }, spec }
}

const good = { gatewayRef: { name: 'main' }, path: '/a/', outbound: { url } }

const accepted: readonly (readonly [string, object])[] = [
  ['the smallest Router', router(good)],
  [
    'a Router with everything',
    router({
      ...good,
      gatewayRef: { name: 'main', namespace: 'llm' },
      internal: true,
      ingress: { headers: { 'Api-Key': ['${KEY}'], 'Content-Type': ['application/json'] } },
      outbound: { url: '${BASE}', endpoint: 'v1?x=y', headers: { 'X-A': ['a', 'b'] } },
      env: [
        { name: 'KEY', valueFrom: { secretKeyRef: { name: 's', key: 'k.txt' } } },
        { name: 'BASE', value: '' },
      ],
    }),
  ],
  ['the smallest LLMGateway', gateway({})],
  [
    'an LLMGateway with an external bus and shared values',
    gateway({
      bus: { type: 'External', servers: ['nats:4222'], tokenSecretRef: { name: 'n', key: 't' } },
      sharedEnv: [
        { name: 'A', value: 'x', namespaces: { from: 'All' } },
        { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } }, hosts: ['*.example.com', 'http://a:8080'] },
      ],
      allowedRouters: { namespaces: { from: 'Selector', selector: { matchLabels: { llm: 'yes' } } } },
    }),
  ],
]

const refused: readonly (readonly [string, object, RegExp])[] = [
  ['an unknown field', router({ ...good, rows: [] }), /unknown field "spec.rows"/],
  ['no gateway', router({ path: '/a/', outbound: { url } }), /spec.gatewayRef: Required value/],
  ['a path without its last slash', router({ ...good, path: '/a' }), /spec.path: Invalid value/],
  ['a path with a dot segment', router({ ...good, path: '/a/../b/' }), /has no dot segment/],
  ['a long name', router(good, 'a'.repeat(41)), /metadata.name is a DNS label of at most 40 characters/],
  ['a name with a dot', router(good, 'a.b'), /metadata.name is a DNS label of at most 40 characters/],
  [
    'a header that is none',
    router({ ...good, ingress: { headers: { 'a b': ['x'] } } }),
    /every key is the name of a header/,
  ],
  [
    'a header that JavaScript would lose',
    router({ ...good, ingress: { headers: JSON.parse('{"__proto__":["x"]}') } }),
    /every key is the name of a header/,
  ],
  [
    'a variable with two sources',
    router({ ...good, env: [{ name: 'A', value: 'x', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }),
    /exactly one of value and valueFrom/,
  ],
  ['a variable without a source', router({ ...good, env: [{ name: 'A' }] }), /exactly one of value and valueFrom/],
  [
    'a source that is two',
    router({
      ...good,
      env: [
        {
          name: 'A',
          valueFrom: { secretKeyRef: { name: 's', key: 'k' }, configMapKeyRef: { name: 's', key: 'k' } },
        },
      ],
    }),
    /exactly one of secretKeyRef and configMapKeyRef/,
  ],
  [
    'one variable twice',
    router({
      ...good,
      env: [
        { name: 'A', value: 'x' },
        { name: 'A', value: 'y' },
      ],
    }),
    /Duplicate value/,
  ],
  [
    'a shared secret that may go anywhere',
    gateway({ sharedEnv: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }),
    /a secret needs the hosts it may be sent to/,
  ],
  ['a reserved variable', gateway({ env: [{ name: 'NATS_TOKEN', value: 'x' }] }), /are reserved/],
  ['an external bus without an address', gateway({ bus: { type: 'External' } }), /External needs servers/],
  ['a selector without its kind', gateway({ allowedRouters: { namespaces: { selector: {} } } }), /selector belongs to/],
  ['a gateway id of 7', gateway({ gatewayId: 'ABCDEF1' }), /spec.gatewayId: Invalid value/],
  ['too many replicas', gateway({ replicas: 1001 }), /less than or equal to 1000/],
]

describe('kubernetes 1: what the API server takes', { skip: whyNoApiServer(process.env) }, () => {
  let server: ApiServer
  before(async () => {
    server = await startApiServer()
    await must(['apply', '-f', join(import.meta.dirname, '../manifests')])
    await must(['wait', '--for=condition=Established', 'crd', '--all'])
  })
  after(() => server?.close())

  async function must(args: readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await server.kubectl(args, input)
    assert.equal(code, 0, stderr)
    return stdout
  }
  const create = (object: object) => server.kubectl(['create', '--validate=strict', '-f', '-'], JSON.stringify(object))

  for (const [what, object] of accepted) {
    test(`${what} is taken`, async () => {
      const { code, stderr } = await server.kubectl(
        ['create', '--dry-run=server', '--validate=strict', '-f', '-'],
        JSON.stringify(object),
      )
      assert.equal(code, 0, stderr)
    })
  }

  for (const [what, object, error] of refused) {
    test(`${what} is refused`, async () => {
      const { code, stderr } = await create(object)
      assert.notEqual(code, 0)
      assert.match(stderr, error)
    })
  }

  test('path and gateway of a Router, and the class of a gateway, are immutable', async () => {
    await must(['create', '-f', '-'], JSON.stringify(router(good, 'fixed')))
    await must(['create', '-f', '-'], JSON.stringify(gateway({}, 'fixed')))
    const edits = [
      ['router', { path: '/b/' }],
      ['router', { gatewayRef: { name: 'other' } }],
      ['router', { gatewayRef: { name: 'main', namespace: 'other' } }],
      ['llmgateway', { class: 'other' }],
    ] as const
    for (const [kind, spec] of edits) {
      const { stderr } = await server.kubectl(['patch', kind, 'fixed', '--type=merge', '-p', JSON.stringify({ spec })])
      assert.match(stderr, /is immutable/, JSON.stringify(spec))
    }
  })

  test('kubectl knows short names, the category, columns, selectable fields and the scale', async () => {
    await must(['create', '-f', '-'], JSON.stringify(router({ ...good, path: '/listed/' }, 'listed')))
    await must(['create', '-f', '-'], JSON.stringify(gateway({}, 'listed')))
    assert.match(
      await must(['get', 'rt', 'listed']),
      /^NAME +GATEWAY +PATH +ACCEPTED +RESOLVED +PROGRAMMED +REASON +AGE/,
    )
    assert.match(await must(['get', 'llmgw', 'listed']), /^NAME +REPLICAS +READY +ROUTERS +PROGRAMMED +REASON +AGE/)
    assert.match(await must(['get', 'llm', '-o', 'name']), /router.llmgateway.io\/listed/)
    assert.equal(
      await must(['get', 'rt', '--field-selector', 'spec.path=/listed/', '-o', 'name']),
      'router.llmgateway.io/listed\n',
    )
    await must(['scale', 'llmgateway/listed', '--replicas=5'])
    assert.equal(await must(['get', 'llmgw', 'listed', '-o', 'jsonpath={.spec.replicas}']), '5')
    assert.match(await must(['explain', 'router.spec.outbound.url']), /address of the LLM API/)
  })
})
