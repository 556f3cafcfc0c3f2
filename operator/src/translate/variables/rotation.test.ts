import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { checkGlConfig } from '@llm-gateway/conf'
import { llmGatewaySchema, routerSchema } from '@llm-gateway/crds'
import type { Snapshot, Source } from '../../model/snapshot.ts'
import { type Translation, translate } from '../translate.ts'
import { unionValues } from './union-values.ts'

// Rules: docs/reference/kubernetes.md#variables

const gateway = llmGatewaySchema.parse({
  metadata: { name: 'main', namespace: 'llm', uid: 'g', generation: 1, creationTimestamp: '2026-11-21T01:00:00Z' },
  spec: {
    allowedRouters: { namespaces: { from: 'All' } },
    sharedEnv: [
      {
        name: 'KEY',
        valueFrom: { secretKeyRef: { name: 'azure', key: 'key' } },
        hosts: ['res.example'],
        namespaces: { from: 'All' },
      },
    ],
  },
})

function router(name: string, url: string, key: boolean) {
  return routerSchema.parse({
    metadata: {
      name,
      namespace: 'team-a',
      uid: name,
      generation: 1,
      creationTimestamp: '2026-11-21T01:00:00Z',
    },
    spec: {
      gatewayRef: { name: 'main', namespace: 'llm' },
      path: `/team-a/${name}/`,
      outbound: { url, headers: key ? { 'Api-Key': ['${KEY}'] } : { 'X-Host': ['${A}'] } },
      env: ['A', 'B', 'C'].map((variable) => ({
        name: variable,
        valueFrom: { secretKeyRef: { name: 'own', key: variable } },
      })),
    },
  })
}

type Parts = { readonly A: string; readonly B: string; readonly C: string }

function translated(parts: Parts, generation = 1): Translation {
  const own: Source = { kind: 'found', type: 'Opaque', values: new Map(Object.entries(parts)) }
  const azure: Source = { kind: 'found', type: 'Opaque', values: new Map([['key', 'planted']]) }
  const victim = router('victim', 'https://${A}${B}', true)
  const snapshot: Snapshot = {
    gateway,
    otherGateways: [],
    routers: [
      { ...victim, metadata: { ...victim.metadata, generation } },
      router('other', 'https://${A}', false),
      router('another', 'https://${A}${C}', false),
    ],
    processors: [],
    processorDeployments: new Map(),
    liveCallPoints: [],
    namespaces: new Map(),
    sources: new Map([
      ['team-a/Secret/own', own],
      ['llm/Secret/azure', azure],
    ]),
    defaultImage: 'image',
    operatorNamespace: 'llm-gateway-system',
  }
  return translate(snapshot)
}

/** Returns the host to which a pod with this configuration and these values sends the shared key; undefined: none. */
function keyGoesTo({ glConfig }: Translation, values: ReadonlyMap<string, string>): string | undefined {
  const environment = { NATS_TOKEN: 't' }
  const check = checkGlConfig(Buffer.from(glConfig), { environment, secrets: values }, { acceptMissing: true })
  assert.ok(check.kind === 'checked')
  const found = check.config.routers.find(({ path }) => path === '/team-a/victim/')
  return found?.kind === 'active' ? new URL(found.outbound.url).host : undefined
}

describe("a tenant who changes the host in his own Secret can't redirect the gateway’s key", () => {
  const before = translated({ A: 'res', B: '.example/', C: '.example/' })
  const attacks: readonly (readonly [what: string, parts: Parts])[] = [
    ['a host of his own', { A: 'evil.example/', B: '.example/', C: 'x' }],
    ['a part of a host, which another Router of his completes', { A: 'res.ex', B: '.example/', C: 'ample/' }],
    ['user-info before the host', { A: 'res.example@evil.example/', B: 'x', C: 'x' }],
  ]
  test('the key is sent to its host', () => assert.equal(keyGoesTo(before, before.values), 'res.example'))

  for (const [what, parts] of attacks) {
    test(`${what}: the key stays at its host while a pod has the old configuration with the new values`, () => {
      const next = translated(parts)
      const union = unionValues({ values: before.values, revision: 1 }, next.values)?.values ?? before.values
      assert.ok(['res.example', undefined].includes(keyGoesTo(before, union)))
      assert.ok(['res.example', undefined].includes(keyGoesTo(before, next.values)))
      assert.equal(keyGoesTo(next, union), undefined)
    })
  }

  test('another permitted host gets the key, under a new value name', () => {
    const same = translated({ A: 'RES', B: '.example/v2/', C: 'x' })
    assert.equal(keyGoesTo(same, same.values), 'res.example')
  })

  test('an edit of the Router gives a new value name, so that the old configuration keeps the old value', () => {
    const edited = translated({ A: 'res', B: '.example/', C: '.example/' }, 2)
    assert.notEqual(edited.glConfig, before.glConfig)
    assert.equal(keyGoesTo(before, edited.values), undefined)
  })
})
