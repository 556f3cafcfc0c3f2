import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { parse } from 'yaml'
import type { Operator } from '../operator.ts'
import { type OperatorScene, startOperatorScene } from './operator-under-test.ts'

const API = 'llmgateway.io/v1alpha1'
const SOURCES = parse(readFileSync(join(import.meta.dirname, '../../testdata/objects/tls.in.yaml'), 'utf8')).sources
const SINKS = {
  file: {},
  rest: { url: 'https://log.example' },
  elastic: { url: 'https://elastic.example', index: 'llm' },
  azure: {
    workspaceId: 'a',
    sharedKey: '${KEY}',
    logType: 'llm',
    env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name: 'cert', key: 'tls.key' } } }],
  },
}
const SHIPPED = ['Tokenizer', 'Mock', 'Regex', 'NlpEntities', 'ContentFilter', 'CharacterCount', 'TokenCounter']
/** The garbage collector learns of new kinds, such as ours, only every 30 s. */
const COLLECTED_MS = 240_000
const KINDS =
  'secrets,configmaps,services,serviceaccounts,deployments,statefulsets,replicasets,pods,poddisruptionbudgets,networkpolicies'

function resource(kind: string, name: string, spec: object): object {
  return { apiVersion: API, kind, metadata: { name, namespace: 'llm' }, spec }
}

describe('a gateway with every option, with the real controllers, in a namespace that admits restricted pods only', {
  skip: whyNoApiServer(process.env),
}, () => {
  let scene: OperatorScene
  let operator: Operator
  before(async () => {
    scene = await startOperatorScene({ controllers: true })
    await scene.kubectl(['label', 'namespace', 'llm', 'pod-security.kubernetes.io/enforce=restricted'])
    operator = await scene.start()
  })
  after(async () => {
    await operator?.close()
    await scene?.close()
  })

  const names = async (kinds: string): Promise<readonly string[]> =>
    (await scene.inNamespace('get', kinds, '-o', 'name')).split('\n').filter((name) => name !== '')

  test('restricted pod security: the API server takes a pod of every template', async () => {
    const stringData = SOURCES['llm/Secret/cert'].values
    await scene.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'cert', namespace: 'llm' }, stringData })
    const outbound = { caRefs: [{ kind: 'Secret', name: 'cert', key: 'tls.crt' }] }
    const tls = { ingress: { secretRef: { name: 'cert' } }, outbound }
    await scene.apply(resource('LLMGateway', 'main', { replicas: 1, tls, record: { sinks: SINKS } }))
    const gatewayRef = { name: 'main' }
    for (const name of ['a', 'pool']) {
      await scene.apply(
        resource('Router', name, { gatewayRef, path: `/${name}/`, outbound: { url: 'https://res.example/' } }),
      )
    }
    for (const type of SHIPPED) await scene.apply(resource('Processor', type.toLowerCase(), { gatewayRef, type }))
    const broker = { pools: [{ path: '/pool/', members: ['/a/'] }] }
    await scene.apply(resource('Processor', 'broker', { gatewayRef, type: 'Broker', broker }))
    const custom = { image: 'registry.example/p:1' }
    await scene.apply(
      resource('Processor', 'custom', { gatewayRef, type: 'Custom', custom, request: { outputFields: ['x'] } }),
    )
    const workloads = 2 + Object.keys(SINKS).length + SHIPPED.length + 2
    await scene.untilTrue('every workload', async () => (await names('deployments,statefulsets')).length === workloads)
    await scene.untilTrue('a pod of each', async () => (await names('pods')).length >= workloads)
    const events = await scene.inNamespace(
      'get',
      'events',
      '-o',
      'jsonpath={range .items[*]}{.reason} {.message}{"\\n"}{end}',
    )
    assert.doesNotMatch(events, /FailedCreate|violates PodSecurity/)
    const foreign = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'foreign', namespace: 'llm' },
      spec: { containers: [{ name: 'a', image: 'a' }] },
    }
    await assert.rejects(scene.apply(foreign), /violates PodSecurity "restricted/)
  })

  test('deleting the LLMGateway leaves only the objects that people made', async () => {
    const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'theirs', namespace: 'llm' } }
    await scene.apply(theirs)
    await scene.inNamespace('delete', 'llmgateway', 'main', '--wait=true')
    const made = async () => (await names(KINDS)).filter((name) => !BY_OTHERS.has(name)).toSorted()
    const left = ['configmap/theirs', 'secret/cert']
    const isEmptied = async () => ((await made()).length <= left.length ? true : undefined)
    await scene.until('nothing else is left', isEmptied, COLLECTED_MS)
    assert.deepEqual(await made(), left)
    assert.equal((await names('routers,processors')).length, 2 + SHIPPED.length + 2)
    await scene.untilTrue('the Router has no gateway', async () =>
      /GatewayNotFound/.test(
        await scene.inNamespace('get', 'router', 'a', '-o', 'jsonpath={.status.conditions[0].reason}'),
      ),
    )
    // No object comes back.
    assert.deepEqual(await made(), left)
  })

  test('a gateway that is deleted in the foreground gets no new objects while its objects are deleted', async () => {
    await scene.apply(resource('LLMGateway', 'second', { replicas: 1, record: { sinks: { file: {} } } }))
    await scene.untilTrue('the last object', async () =>
      (await names('deployments')).includes('deployment.apps/second-sink-file'),
    )
    await scene.inNamespace('delete', 'llmgateway', 'second', '--cascade=foreground', '--wait=false')
    const isGone = async () =>
      (await names(`llmgateways,${KINDS}`)).some((name) => name.includes('/second')) ? undefined : true
    await scene.until('nothing is left', isGone, COLLECTED_MS)
  })
})

/** Objects that every namespace has. */
const BY_OTHERS = new Set(['configmap/kube-root-ca.crt', 'serviceaccount/default'])
