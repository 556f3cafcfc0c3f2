import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { type Admission, startAdmission } from './admission-under-test.ts'
import { API_VERSION } from './group.ts'

// Rules: docs/reference/kubernetes.md#kinds

const gateway = { kind: 'LLMGateway', name: 'main', spec: { class: 'eu' } }
const router = {
  kind: 'Router',
  name: 'a',
  spec: { gatewayRef: { name: 'main' }, path: '/a/', outbound: { url: 'https://res.example/' } },
}
const processor = { kind: 'Processor', name: 'count', spec: { gatewayRef: { name: 'main' }, type: 'CharacterCount' } }

const condition = (type: string, status: string, reason: string) => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-11-21T02:00:00Z',
})

const STATUSES: readonly (readonly [kind: string, name: string, status: object, columns: RegExp])[] = [
  [
    'llmgateway',
    'main',
    {
      routers: { attached: 12 },
      conditions: [
        condition('ResolvedRefs', 'False', 'SecretNotFound'),
        condition('Ready', 'False', 'BusUnavailable'),
        condition('Programmed', 'False', 'PodsLagging'),
      ],
    },
    /^NAME +REPLICAS +READY +RESOLVED +ROUTERS +PROGRAMMED +REASON +AGE\nmain +2 +False +False +12 +False +BusUnavailable +\w+\n$/,
  ],
  [
    'llmgateway',
    'main',
    {
      routers: { attached: 12 },
      // The column REASON leaves out RecordsDurable: the gateway serves, although its records are in an emptyDir.
      conditions: [
        condition('ResolvedRefs', 'True', 'ResolvedRefs'),
        condition('Ready', 'True', 'Ready'),
        condition('Programmed', 'True', 'Programmed'),
        condition('RecordsDurable', 'False', 'EphemeralStorage'),
      ],
    },
    /^NAME +REPLICAS +READY +RESOLVED +ROUTERS +PROGRAMMED +REASON +AGE\nmain +2 +True +True +12 +True +Ready +\w+\n$/,
  ],
  [
    'router',
    'a',
    {
      conditions: [
        condition('Accepted', 'True', 'Accepted'),
        condition('ResolvedRefs', 'False', 'KeyNotFound'),
        condition('Programmed', 'False', 'KeyNotFound'),
        condition('Ready', 'False', 'KeyNotFound'),
      ],
    },
    /^NAME +GATEWAY +PATH +READY +ACCEPTED +RESOLVED +PROGRAMMED +REASON +AGE\na +main +\/a\/ +False +True +False +False +KeyNotFound +\w+\n$/,
  ],
  [
    'processor',
    'count',
    { conditions: [condition('Ready', 'False', 'CrashLooping'), condition('Programmed', 'False', 'WaitingForReady')] },
    /^NAME +GATEWAY +TYPE +READY +PROGRAMMED +REASON +AGE\ncount +main +CharacterCount +False +False +CrashLooping +\w+\n$/,
  ],
]

describe("kubectl's view of the three kinds", { skip: whyNoApiServer(process.env) }, () => {
  let admission: Admission
  let kubectl: Admission['kubectl']
  before(async () => {
    admission = await startAdmission()
    kubectl = admission.kubectl
    for (const { kind, name, spec } of [gateway, router, processor]) {
      await kubectl(['create', '-f', '-'], { apiVersion: API_VERSION, kind, metadata: { name }, spec })
    }
  })
  after(() => admission?.close())

  for (const [kind, name, status, columns] of STATUSES) {
    test(`kubectl get shows the state and the cause of a ${kind} in its columns`, async () => {
      await kubectl(['patch', kind, name, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })])
      assert.match(await kubectl(['get', kind, name]), columns)
    })
  }

  test('a write of the status changes neither spec nor generation, and a write of the spec changes no status', async () => {
    const both = { spec: { internal: true }, status: { url: 'http://main' } }
    await kubectl(['patch', 'router', 'a', '--subresource=status', '--type=merge', '-p', JSON.stringify(both)])
    const fields = 'jsonpath={.metadata.generation} {.spec.internal} {.status.url}'
    assert.equal(await kubectl(['get', 'router', 'a', '-o', fields]), '1 false http://main')
    const later = { ...both, status: { url: 'http://other' } }
    await kubectl(['patch', 'router', 'a', '--type=merge', '-p', JSON.stringify(later)])
    assert.equal(await kubectl(['get', 'router', 'a', '-o', fields]), '2 true http://main')
  })

  test('the short names and the category select all three kinds', async () => {
    assert.equal(await kubectl(['get', 'rt', '-o', 'name']), 'router.llmgateway.io/a\n')
    assert.equal(await kubectl(['get', 'llmgw', '-o', 'name']), 'llmgateway.llmgateway.io/main\n')
    assert.equal(await kubectl(['get', 'proc', '-o', 'name']), 'processor.llmgateway.io/count\n')
    assert.deepEqual((await kubectl(['get', 'llm', '-o', 'name'])).trim().split('\n').sort(), [
      'llmgateway.llmgateway.io/main',
      'processor.llmgateway.io/count',
      'router.llmgateway.io/a',
    ])
  })

  const SELECTORS = [
    ['routers', 'spec.path=/a/', 'a'],
    ['routers', 'spec.path=/b/', ''],
    ['routers', 'spec.gatewayRef.name=main', 'a'],
    ['routers', 'spec.gatewayRef.name=other', ''],
    ['processors', 'spec.type=CharacterCount', 'count'],
    ['processors', 'spec.type=Mock', ''],
    ['processors', 'spec.gatewayRef.name=main', 'count'],
    ['llmgateways', 'spec.class=eu', 'main'],
    ['llmgateways', 'spec.class=default', ''],
  ] as const
  for (const [kind, selector, found] of SELECTORS) {
    test(`${kind} are selected by ${selector}`, async () => {
      const args = ['get', kind, '--field-selector', selector, '-o', 'jsonpath={.items[*].metadata.name}']
      assert.equal(await kubectl(args), found)
    })
  }

  const SCALED = [
    ['llmgateway/main', 'llmgateway.io/gateway=main'],
    ['processor/count', 'llmgateway.io/processor=count'],
  ] as const
  for (const [object, selector] of SCALED) {
    test(`${object} is scaled through its subresource, which shows pods and their selector`, async () => {
      await kubectl(['scale', object, '--replicas=5'])
      assert.equal(await kubectl(['get', object, '-o', 'jsonpath={.spec.replicas}']), '5')
      const status = JSON.stringify({ status: { replicas: 4, selector } })
      await kubectl(['patch', object, '--subresource=status', '--type=merge', '-p', status])
      const scale = JSON.parse(await kubectl(['get', object, '--subresource=scale', '-o', 'json']))
      assert.deepEqual([scale.spec, scale.status], [{ replicas: 5 }, { replicas: 4, selector }])
    })
  }

  const EXPLAINED = [
    ['router', /DESCRIPTION:\s+A path of a gateway: who may call it, where its calls go and with which key\./],
    ['router.spec.path', /FIELD: path <string>\s+DESCRIPTION:\s+Path with which calls of this Router begin/],
    ['router.spec.outbound.url', /http\(s\) address of the LLM API; may hold \$\{NAME\}/],
    ['llmgateway.spec.sharedEnv.hosts', /FIELD: hosts <\[\]string>[\s\S]*Hosts to which a secret may be sent/],
    ['llmgateway.spec.record.sinks.elastic', /url\s+<string> -required-\s+http\(s\) address of Elasticsearch/],
    ['llmgateway.spec.pod.resources.limits', /Resource → greatest quantity: cpu 2, memory 1Gi/],
    ['processor.spec.type', /ENUM:\s+Tokenizer\s+Mock\s+Regex\s[\s\S]*Program of the Processor; immutable/],
    ['processor.spec.request', /TokenCounter: order 300, 1000 ms, gl_path ingress_payload → control/],
    [
      'processor.spec.request.rerouteTo',
      /FIELD: rerouteTo <\[\]string>[\s\S]*Paths of Routers to which the Processor may re-route/,
    ],
    ['processor.spec.request.order', /FIELD: order <integer>[\s\S]*Rows run in this order/],
    ['processor.status.conditions.reason', /one word that programs may compare/],
  ] as const
  for (const [field, text] of EXPLAINED) {
    test(`kubectl explain ${field} shows the description`, async () => {
      assert.match((await kubectl(['explain', field])).replaceAll(/\s+/g, ' '), text)
    })
  }
})
