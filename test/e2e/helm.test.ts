import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { runHelm, whyNoHelm } from '../../tools/helm/helm.ts'
import { type Cluster, startCluster, whyNoCluster } from '../fake/cluster.ts'
import { buildImage } from './kube-scene.ts'

const ROOT = join(import.meta.dirname, '../..')
const CHART = join(ROOT, 'charts/llm-gateway')
const SYSTEM = 'platform-llm'
const HELM_MS = 300_000
const skip = whyNoCluster(process.env) || (process.env.CI === 'true' ? false : (whyNoHelm(ROOT) ?? false))

describe(`helm installs the chart into ${SYSTEM}, a namespace that takes restricted pods only`, { skip }, () => {
  let cluster: Cluster
  before(async () => {
    const [started, archive] = await Promise.all([startCluster(process.env), buildImage(process.env)])
    cluster = started
    await cluster.loadImage(archive.file)
    archive.remove()
    await kubectl('create', 'namespace', SYSTEM)
    await kubectl('label', 'namespace', SYSTEM, 'pod-security.kubernetes.io/enforce=restricted')
  })
  after(() => cluster?.close())

  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await cluster.kubectl(args)
    assert.equal(code, 0, `kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  const helm = async (...args: readonly string[]): Promise<string> => {
    const options = { kubeconfig: cluster.kubeconfig, inside: cluster.inside, timeoutMs: HELM_MS }
    const { code, stdout, stderr } = await runHelm(ROOT, [...args, '-n', SYSTEM], options)
    const pods = code === 0 ? '' : await kubectl('-n', SYSTEM, 'get', 'pods,events')
    assert.equal(code, 0, `helm ${args.join(' ')}: ${stderr}${pods}`)
    return stdout
  }
  const DEMO = ['--set', 'demo.enabled=true', '--wait', '--timeout', '4m']

  test('install, its Job for the CRDs, and helm test with an answer of the demo LLM', async (context) => {
    const began = performance.now()
    await helm('install', 'gw', CHART, ...DEMO)
    await kubectl('-n', SYSTEM, 'wait', 'llmgateway/main', '--for=condition=Ready', '--timeout=110s')
    const said = await helm('test', 'gw', '--logs', '--timeout', '3m')
    assert.match(said, /chat\/completions: 200 .*This is a demo answer/)
    context.diagnostic(`first answer after ${Math.round((performance.now() - began) / 1000)} s`)
  })

  test('upgrade and rollback end well while the gateway stays as it is', async () => {
    const pods = () => kubectl('-n', SYSTEM, 'get', 'pods', '-l', 'llmgateway.io/gateway=main', '-o', 'name')
    const before = await pods()
    await helm('upgrade', 'gw', CHART, ...DEMO, '--set', 'operator.podAnnotations.a=b')
    await helm('rollback', 'gw', '1', '--wait', '--timeout', '4m')
    assert.equal(await pods(), before)
  })

  test('uninstall leaves the CRDs and the operator’s lease', async () => {
    await helm('uninstall', 'gw', '--wait', '--timeout', '4m')
    const end = performance.now() + 110_000
    let left = ''
    do {
      left = await kubectl(
        '-n',
        SYSTEM,
        'get',
        'all,llmgateways,routers,secrets,configmaps,networkpolicies,leases',
        '-o',
        'name',
      )
    } while (left.trim().split('\n').length > 2 && performance.now() < end)
    assert.deepEqual(left.trim().split('\n'), [
      'configmap/kube-root-ca.crt',
      'lease.coordination.k8s.io/llm-gateway-operator',
    ])
    assert.match(await kubectl('get', 'crds', '-o', 'name'), /routers\.llmgateway\.io/)
  })
})
