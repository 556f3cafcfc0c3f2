import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { foreignDefinitions } from '../../tools/helm/foreign-definitions.ts'
import { readAuditLog } from '../fake/audit-log.ts'
import { createRandom } from '../operator/random.ts'
import { until } from '../operator/wait.ts'
import { CHART, type ChartScene, startChartScene, whyNoChartScene } from './chart-scene.ts'
import { type RandomInstall, randomInstall } from './random-values.ts'

/** `make test` tries as many installs as run at once; `make soak` tries 100. */
const COUNT = Number(process.env.CHART_INSTALLS ?? 5)
const SEED = Number(process.env.SOAK_SEED ?? 1)
/** Parallel installs: most of the time is spent waiting for controllers. */
const CONCURRENCY = 5
const INSTALL_MS = 240_000
const LOOK_MS = 1_000
/** Objects that Kubernetes makes itself, and the operator's Events. */
const NAMESPACE_DEFAULTS = /^(configmap\/kube-root-ca\.crt|serviceaccount\/default|event.*)$/

describe(`${COUNT} installs of random values, from seed ${SEED}`, { skip: whyNoChartScene(process.env) }, () => {
  let scene: ChartScene
  let missing = ''
  let namespaced = ''
  let clusterWide: readonly string[] = []
  before(async () => {
    scene = await startChartScene()
    const foreign = await foreignDefinitions(process.env)
    if (foreign.kind === 'missing') {
      missing = foreign.reason
      return
    }
    const files = foreign.files.flatMap((file) => ['-f', file])
    await scene.kubectl(['apply', '--server-side', '-f', 'crds/manifests', ...files])
    await until('all kinds', async () => {
      const { code } = await scene.server.kubectl([
        'get',
        'llmgateways,routers,processors,podmonitors,prometheusrules',
        '-A',
      ])
      return code === 0 ? true : undefined
    })
    const kinds = await scene.kubectl(['api-resources', '--namespaced', '--verbs=list,delete', '-o', 'name'])
    namespaced = kinds.trim().split('\n').join(',')
    clusterWide = await clusterObjects()
  })
  after(() => scene?.close())

  const clusterObjects = async (): Promise<readonly string[]> => {
    const kinds = 'clusterroles,clusterrolebindings,validatingadmissionpolicies,validatingadmissionpolicybindings,crds'
    return (await scene.kubectl(['get', kinds, '-o', 'name'])).trim().split('\n')
  }
  const objectsIn = async (namespace: string): Promise<readonly string[]> => {
    const found = await scene.kubectl(['-n', namespace, 'get', namespaced, '--ignore-not-found', '-o', 'name'])
    return found.split('\n').filter((name) => name !== '' && !NAMESPACE_DEFAULTS.test(name))
  }

  /** Returns the refused requests of an operator in this namespace. */
  const forbiddenIn = (namespace: string): readonly string[] => {
    const account = `"username":"system:serviceaccount:${namespace}:`
    const calls = readAuditLog(scene.server.auditLog).filter((line) => line.includes(account))
    assert.ok(calls.length > 20)
    const forbidden = calls.filter((line) => line.includes('"code":403')).map((line) => JSON.parse(line))
    return forbidden.map(({ verb, requestURI }) => `${verb} ${requestURI}`)
  }

  const tryOne = async (install: RandomInstall): Promise<void> => {
    const { release, namespace, values, gatewayClass } = install
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    const metadata = { name: 'theirs', namespace }
    for (const object of [
      { kind: 'Namespace', metadata: { name: namespace, labels } },
      { kind: 'PersistentVolumeClaim', metadata, spec: CLAIM },
    ])
      await scene.kubectl(['create', '-f', '-'], { apiVersion: 'v1', ...object })
    const argv = [release, CHART, '-n', namespace, '--timeout', '150s', '-f', '-']
    await scene.helm(['install', ...argv], JSON.stringify(values))
    const deployments = await scene.kubectl(['-n', namespace, 'get', 'deployments', '-o', 'name'])
    const [, deployment = ''] = /\/(.*-operator)$/m.exec(deployments) ?? []
    const operator = await scene.startOperator(namespace, deployment)
    const spec = { gatewayRef: { name: 'theirs' }, path: '/theirs/', outbound: { url: 'https://res.example/' } }
    const api = { apiVersion: 'llmgateway.io/v1alpha1' }
    await scene.admin.apply(
      { ...api, kind: 'LLMGateway', metadata, spec: { class: gatewayClass } },
      { ...api, kind: 'Router', metadata, spec },
    )
    const all = install.hasGateway ? ['llmgateway', '--all'] : ['llmgateway/theirs']
    await scene.kubectl(['-n', namespace, 'wait', ...all, '--for=condition=Accepted', '--timeout=90s'])
    await scene.kubectl(['-n', namespace, 'wait', 'router/theirs', '--for=condition=Accepted', '--timeout=90s'])
    assert.deepEqual(forbiddenIn(namespace), [])
    await scene.helm(['uninstall', release, '-n', namespace, '--timeout', '150s'])
    await operator.stop()
    const people = ['llmgateway.llmgateway.io/theirs', 'persistentvolumeclaim/theirs', 'router.llmgateway.io/theirs']
    const left = await objectsIn(namespace)
    for (const name of people) assert.ok(left.includes(name), name)
    for (const place of ['LLMGateway', 'Router']) await scene.admin.remove({ kind: place, namespace, name: 'theirs' })
    const readLeft = async () =>
      (await objectsIn(namespace)).join() === 'persistentvolumeclaim/theirs' ? true : undefined
    await until('only the objects that people made', readLeft, { everyMs: LOOK_MS }).catch(async (cause) => {
      throw new Error(`left: ${await objectsIn(namespace)}`, { cause })
    })
    const ofNamespace = new RegExp(`[.-]${namespace}$`)
    assert.deepEqual(
      (await clusterObjects()).filter((name) => ofNamespace.test(name)),
      [],
    )
  }

  describe('each install by itself', { concurrency: CONCURRENCY }, () => {
    for (let number = SEED; number < SEED + COUNT; number += 1) {
      const install = randomInstall(createRandom(number), number)
      test(`seed ${number}: ${install.release} is installed and uninstalled, and none of its objects is left`, {
        timeout: INSTALL_MS,
      }, async (context) => {
        if (missing !== '' && process.env.CI !== 'true') return context.skip(missing)
        assert.equal(missing, '')
        await tryOne(install).catch((cause) => {
          throw new Error(JSON.stringify(install.values, undefined, 1), { cause })
        })
      })
    }
  })

  test('no cluster-wide object of any install is left', async (context) => {
    if (missing !== '') return context.skip(missing)
    assert.deepEqual(await clusterObjects(), clusterWide)
  })
})

const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
