import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { containerdSocket } from '../../tools/cluster/node-plan.ts'
import { runHelm, whyNoHelm } from '../../tools/helm/helm.ts'
import { type Authority, createAuthority } from '../fake/certificates.ts'
import { whyNoCluster } from '../fake/cluster.ts'
import { Tally } from '../ledger/tally.ts'
import { busServers } from './bus-servers.ts'
import { namespaceObject, secretObject, UPSTREAM } from './gateway-objects.ts'
import { makeHostVolumes } from './host-volumes.ts'
import { IMAGE, type KubeScene, OBSERVER_NAMESPACE, startBareScene } from './kube-scene.ts'
import { observerObjects } from './observer-manifest.ts'
import { podsOf } from './pods.ts'
import { recordsOnBus, untilSent } from './records-on-bus.ts'
import { type SteadyLoad, startSteadyLoad } from './steady-load.ts'
import { POD_RIGHTS_SCRIPT, runNodeScript } from './web-interface.ts'

const ROOT = join(import.meta.dirname, '../..')
const CHART = join(ROOT, 'charts/llm-gateway')
const HELM_MS = 300_000
const WAIT = ['--wait', '--timeout', '4m']
const WHOLE = 'whole'
const TEAM = 'team-a'
const THREE = 'three'
const BUS = 'bus'
const TOKEN = 'a-bus-of-people'
/** An account that may write everything in one namespace and nothing elsewhere. */
const INSTALLER = 'installer'
const KINDS =
  'all,llmgateways,routers,processors,secrets,configmaps,serviceaccounts,roles,rolebindings,networkpolicies,leases'

const missing = process.env.CI === 'true' ? false : (whyNoHelm(ROOT) ?? false)

describe('chart values that change the pods', { skip: whyNoCluster(process.env) || missing }, () => {
  let scene: KubeScene
  let authority: Authority
  before(async () => {
    authority = await createAuthority()
    scene = await startBareScene(process.env)
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
    for (const name of [WHOLE, TEAM, THREE]) {
      await scene.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } })
    }
  })
  after(async () => {
    await scene?.close()
    await authority?.close()
  })

  const helm = async (namespace: string, args: readonly string[], values: object = {}): Promise<string> => {
    const { kubeconfig, inside } = scene.cluster
    const input = JSON.stringify(values)
    const options = { kubeconfig, inside, input, timeoutMs: HELM_MS }
    const { code, stdout, stderr } = await runHelm(ROOT, [...args, '-n', namespace], options)
    const pods = code === 0 ? '' : await scene.kubectl(['-n', namespace, 'get', 'pods,events'])
    assert.equal(code, 0, `helm ${args.join(' ')}: ${stderr}${pods}`)
    return stdout
  }
  const get = (namespace: string, ...what: readonly string[]) => scene.kubectl(['-n', namespace, 'get', ...what])
  const onlyLeft = async (namespace: string, left: readonly string[]): Promise<void> => {
    const kept = ['configmap/kube-root-ca.crt', 'serviceaccount/default', ...left].toSorted().join()
    let found = ''
    const isLeft = async () => {
      found = (await get(namespace, KINDS, '-o', 'name')).trim().split('\n').toSorted().join()
      return found === kept ? true : undefined
    }
    await scene.until('only the objects that people made', isLeft).catch(() => assert.equal(found, kept))
  }

  describe('TLS, an external bus and an autoscaler', () => {
    const values = {
      natsTokenSecretRef: { name: 'nats', key: 'token' },
      gateway: {
        enabled: true,
        tls: { secretName: 'cert' },
        autoscaling: { enabled: true, minReplicas: 3 },
        spec: {
          bus: { type: 'External', servers: [`nats.${BUS}.svc:4222`] },
          limits: { drainDelaySeconds: 1 },
          webInterface: { tls: { secretRef: { name: 'cert' } } },
        },
      },
      routers: { a: { path: '/a/', outbound: { url: UPSTREAM } } },
      processors: { characters: { type: 'CharacterCount' } },
    }

    test('after install callers use TLS, and records and Processors use the external bus', async () => {
      const host = `main.${WHOLE}.svc`
      const { certificate, privateKey } = await authority.issue('gateway', { alternativeNames: [`DNS:${host}`] })
      const texts = { 'tls.crt': certificate.toString(), 'tls.key': privateKey.toString() }
      await scene.apply(
        ...busObjects(),
        secretObject(WHOLE, 'nats', { token: TOKEN }),
        { ...secretObject(WHOLE, 'cert', texts), type: 'kubernetes.io/tls' },
        secretObject(OBSERVER_NAMESPACE, 'bus', { token: TOKEN }),
        ...observerObjects(OBSERVER_NAMESPACE, IMAGE, { secret: 'bus', host: `nats.${BUS}.svc` }),
      )
      await scene.rolledOut(BUS, 'nats')
      await scene.rolledOut(OBSERVER_NAMESPACE, 'observer')
      await helm(WHOLE, ['install', 'gw', CHART, ...WAIT, '-f', '-'], values)
      await scene.wait(['-n', WHOLE, 'router/a', 'processor/characters'], 'Programmed')
      const script = `
        import { request } from 'node:https'
        const options = { method: 'POST', ca: ${JSON.stringify(authority.certificate.toString())}, headers: { 'content-type': 'application/json' } }
        const call = request('https://${host}:5380/a/x', options, (answer) => { console.log(answer.statusCode); answer.resume() })
        call.on('error', (error) => console.log(error.code))
        call.end('{"a":"b"}')`
      const argv = ['exec', 'deploy/observer', '--', 'node', '--input-type=module', '-e', script]
      const record = await scene.until('a record', async () => {
        assert.match(await scene.kubectl(['-n', OBSERVER_NAMESPACE, ...argv]), /^(200|ECONNREFUSED|EHOSTUNREACH)$/m)
        const records: unknown = await scene.observe('/records')
        return Array.isArray(records) ? records.at(-1) : undefined
      })
      assert.equal(record.request.gl_path, '/a/')
      assert.equal(record.request.character_count, 9)
      assert.equal(await get(WHOLE, 'statefulsets', '-o', 'name'), '')
    })

    test('the web interface and its probes use TLS, and the web interface shows the parts on the external bus', async () => {
      await scene.rolledOut(WHOLE, 'main-web')
      const data = await get(WHOLE, 'secret', 'main-web', '-o', 'jsonpath={.data.GUI_SECRET}')
      const secret = Buffer.from(data, 'base64').toString()
      const script = `
        import { get } from 'node:https'
        const options = { ca: ${JSON.stringify(authority.certificate.toString())}, servername: 'main.${WHOLE}.svc', headers: { authorization: 'Bearer ${secret}' } }
        const call = get('https://main-web.${WHOLE}.svc:8080/api/v1/overview', options, async (answer) => {
          const chunks = await answer.toArray()
          console.log(Buffer.concat(chunks).toString())
        })
        call.on('error', (error) => console.log(JSON.stringify({ code: error.code })))`
      const overview = await scene.until('the bus', async () => {
        const seen = JSON.parse(
          await runNodeScript(scene, ['-n', OBSERVER_NAMESPACE, 'exec', 'deploy/observer'], script),
        )
        // The Service's rules reach the node a moment after the pod is ready, and may still name a pod that has ended.
        if (seen.code === 'ECONNREFUSED' || seen.code === 'EHOSTUNREACH') return undefined
        assert.equal(seen.edition, 'kubernetes', JSON.stringify(seen))
        return seen.bus.connected ? seen : undefined
      })
      assert.equal(overview.gateway.reachable, true, JSON.stringify(overview.gateway))
    })

    test('the autoscaler’s minimum is kept, and an upgrade does not reset it', async () => {
      const three = ['deployment/main', '--for=jsonpath={.status.readyReplicas}=3', '--timeout=110s']
      await scene.kubectl(['-n', WHOLE, 'wait', ...three])
      await helm(WHOLE, ['upgrade', 'gw', CHART, ...WAIT, '-f', '-'], { ...values, commonLabels: { team: 'a' } })
      assert.equal(await get(WHOLE, 'llmgateway', 'main', '-o', 'jsonpath={.spec.replicas}'), '3')
      await scene.kubectl(['-n', WHOLE, 'wait', ...three])
      assert.match(await helm(WHOLE, ['test', 'gw', '--logs', '--timeout', '4m']), /\/echo\/: 200/)
    })

    test('uninstall leaves the Secrets of people', async () => {
      await helm(WHOLE, ['uninstall', 'gw', ...WAIT])
      await onlyLeft(WHOLE, ['secret/cert', 'secret/nats'])
    })
  })

  test('a person with rights in one namespace only can install, call and uninstall there', async () => {
    const metadata = { name: INSTALLER, namespace: TEAM }
    const group = 'rbac.authorization.k8s.io'
    const all = ['*']
    await scene.apply(
      { apiVersion: `${group}/v1`, kind: 'Role', metadata, rules: [{ apiGroups: all, resources: all, verbs: all }] },
      {
        ...{ apiVersion: `${group}/v1`, kind: 'RoleBinding', metadata },
        roleRef: { apiGroup: group, kind: 'Role', name: INSTALLER },
        subjects: [{ kind: 'User', apiGroup: group, name: INSTALLER }],
      },
    )
    const values = {
      operator: { watchNamespaces: [TEAM], class: 'own' },
      rbac: { aggregate: false },
      admissionPolicies: { enabled: false },
      crds: { apply: false },
      demo: { enabled: true },
      gateway: { spec: { webInterface: {} } },
    }
    const as = ['--kube-as-user', INSTALLER]
    await helm(TEAM, ['install', 'gw', CHART, ...as, '--skip-crds', ...WAIT, '-f', '-'], values)
    const answered = await helm(TEAM, ['test', 'gw', ...as, '--logs', '--timeout', '4m'])
    assert.match(answered, /chat\/completions: 200 .*This is a demo answer/)
    await scene.rolledOut(TEAM, 'main-web')
    assert.match(await get(TEAM, 'rolebinding', 'main-web', '-o', 'jsonpath={.roleRef.kind}'), /^Role$/)
    const inside = JSON.parse(await runNodeScript(scene, ['-n', TEAM, 'exec', 'deploy/main-web'], POD_RIGHTS_SCRIPT))
    assert.deepEqual(inside, { user: 65532, written: [], reads: 200, secret: 403, patches: 403, removes: 403 })
    assert.doesNotMatch(await scene.kubectl(['get', 'clusterroles', '-o', 'name']), /gw-llm-gateway/)
    await helm(TEAM, ['uninstall', 'gw', ...as, ...WAIT])
    await onlyLeft(TEAM, [`role.${group}/${INSTALLER}`, `rolebinding.${group}/${INSTALLER}`])
  })

  const foreign = process.env.KUBECONFIG ? 'nothing is killed in a cluster of somebody else' : false
  describe('a bus of three servers with persistent volume claims', { skip: foreign }, () => {
    let load: SteadyLoad | undefined
    const upgraded = 'llm-gateway:upgraded'
    const valuesWith = (tag: string) => ({
      image: { tag },
      gateway: { enabled: true, spec: { bus: { managed: { replicas: 3, storage: { claim: { size: '1Gi' } } } } } },
      routers: { a: { path: '/a/', outbound: { url: UPSTREAM } } },
    })
    const runningLoad = (): SteadyLoad => {
      assert.ok(load !== undefined, 'there is no load: an earlier test failed')
      return load
    }
    const gateways = () => podsOf(scene, THREE, 'llmgateway.io/gateway=main')

    test('after install the stream of records has a replica on each server', async () => {
      await makeHostVolumes(scene, 3, '1Gi')
      await helm(THREE, ['install', 'gw', CHART, ...WAIT, '-f', '-'], valuesWith(''))
      await scene.wait(['-n', THREE, 'router/a'], 'Programmed')
      await scene.wait(['-n', THREE, 'llmgateway/main'], 'RecordsDurable')
      load = await startSteadyLoad(scene, 'three', { url: `http://main.${THREE}.svc:5380/a/`, rate: 50, bytes: 512 })
    })

    test('no call fails while the servers are killed one by one', async () => {
      await runningLoad().unharmedBy('kill -9 of each server', () => busServers(scene, THREE).killEach())
    })

    test('no call fails while their pods are deleted one by one and an upgrade replaces the gateway', async () => {
      const ctr = ['ctr', '-a', containerdSocket(scene.cluster.folder), '-n', 'k8s.io', 'images', 'tag']
      const names = [IMAGE, upgraded].map((name) => `docker.io/library/${name}`)
      const { code, stderr } = await scene.cluster.exec([...ctr, ...names])
      assert.equal(code, 0, stderr)
      const upgrade = async (): Promise<void> => {
        await helm(THREE, ['upgrade', 'gw', CHART, ...WAIT, '-f', '-'], valuesWith('upgraded'))
        await scene.until('two gateways of the new image', async () => {
          const pods = await gateways()
          return pods.length === 2 && pods.every(({ image, isReady }) => isReady && image === upgraded)
            ? true
            : undefined
        })
      }
      await runningLoad().unharmedBy('upgrade, and the deletion of each server’s pod', () =>
        busServers(scene, THREE).deleteEachWhile(upgrade),
      )
    })

    test('afterwards every answered call has exactly one record', async () => {
      assert.deepEqual((await runningLoad().end()).failed, {}, 'no call failed between two steps either')
      const answered = await runningLoad().answered()
      await untilSent(scene, THREE)
      const { replicas, messages, serials } = await recordsOnBus(scene, THREE)
      const tally = new Tally('stream')
      for (const serial of serials) tally.add(serial ?? Number.NaN)
      console.log(`${answered.size} calls answered, ${messages} records on ${replicas} servers`)
      assert.deepEqual([tally.missing(answered), tally.doubles, tally.unknownCalls], [[], [], 0])
      assert.deepEqual([messages, replicas], [serials.length, 3])
      assert.ok(answered.size > 1_000)
    })

    test('uninstall leaves the claims and their data', async () => {
      await helm(THREE, ['uninstall', 'gw', ...WAIT])
      await onlyLeft(THREE, [])
      const claims = (await get(THREE, 'persistentvolumeclaims', '-o', 'name')).trim().split('\n')
      assert.deepEqual(
        claims,
        [0, 1, 2].map((index) => `persistentvolumeclaim/store-main-bus-${index}`),
      )
    })
  })
})

/** Returns a bus that the operator doesn't manage. */
function busObjects(): readonly object[] {
  const metadata = { name: 'nats', namespace: BUS }
  const labels = { app: 'nats' }
  const container = {
    name: 'nats',
    image: IMAGE,
    command: ['/usr/bin/nats-server', '--addr', '0.0.0.0', '--auth', TOKEN, '--jetstream', '--store_dir', '/tmp'],
    readinessProbe: { tcpSocket: { port: 4222 }, periodSeconds: 1 },
  }
  const spec = { terminationGracePeriodSeconds: 0, automountServiceAccountToken: false, containers: [container] }
  return [
    namespaceObject(BUS),
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports: [{ port: 4222 }] } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
  ]
}
