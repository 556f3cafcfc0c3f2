import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type Authority, createAuthority } from '../fake/certificates.ts'
import { whyNoCluster } from '../fake/cluster.ts'
import { gatewayObject, namespaceObject, routerObject, secretObject, UPSTREAM } from './gateway-objects.ts'
import { type KubeScene, OBSERVER_NAMESPACE, startKubeScene } from './kube-scene.ts'

const NS = 'llm'
const PODS = ['-n', NS, 'get', 'pods', '-l', 'llmgateway.io/gateway=main', '-o', 'jsonpath={.items[*].metadata.uid}']
const ROLLOUT_MS = 240_000

describe('TLS and a sink in a real cluster', { skip: whyNoCluster(process.env) }, () => {
  let scene: KubeScene
  let authority: Authority

  before(async () => {
    authority = await createAuthority()
    scene = await startKubeScene(process.env)
    await scene.apply(namespaceObject(NS))
  })
  after(async () => {
    await authority?.close()
    await scene?.close()
  })

  /** Writes a new certificate for the gateway's Service. Returns its fingerprint. */
  const certify = async (name: string): Promise<string> => {
    const { certificate, privateKey } = await authority.issue(name, { alternativeNames: [`DNS:main.${NS}.svc`] })
    const texts = { 'tls.crt': certificate.toString(), 'tls.key': privateKey.toString() }
    await scene.apply({ ...secretObject(NS, 'cert', texts), type: 'kubernetes.io/tls' })
    return new X509Certificate(certificate).fingerprint256
  }
  const inObserver = async (script: string): Promise<string> => {
    const argv = ['exec', 'deploy/observer', '--', 'node', '--input-type=module', '-e', script]
    return (await scene.kubectl(['-n', OBSERVER_NAMESPACE, ...argv])).trim()
  }
  /** Returns the status of a call and the fingerprint of the certificate it met. */
  const call = (): Promise<string> =>
    inObserver(`
      import { request } from 'node:https'
      const options = { method: 'POST', rejectUnauthorized: false, agent: false, headers: { 'content-type': 'application/json' } }
      const call = request('https://main.${NS}.svc:5380/a/', options, (answer) => {
        console.log(answer.statusCode, answer.socket.getPeerCertificate().fingerprint256)
        answer.resume()
      })
      call.on('error', (error) => console.log(error.code))
      call.end('{"model":"e2e"}')`)
  const router = (serial: string) =>
    routerObject(NS, 'a', {
      gatewayRef: { name: 'main' },
      path: '/a/',
      outbound: { url: UPSTREAM, headers: { 'X-Serial': [serial] } },
    })
  const tls = { ingress: { secretRef: { name: 'cert' } } }
  const gateway = (spec: object) => gatewayObject(NS, 'main', { replicas: 1, ...spec })
  const until = (what: string, holds: () => Promise<boolean>) =>
    scene.until(what, async () => ((await holds()) ? true : undefined), ROLLOUT_MS)

  test('callers see the certificate of the Secret, and the Router’s status has the https address', async () => {
    const fingerprint = await certify('first')
    await scene.apply(gateway({ tls, record: { sinks: { file: {} } } }), router('1'))
    await scene.wait(['-n', NS, 'router/a', 'llmgateway/main'], 'Programmed')
    // kube-proxy may learn of the pod a moment after the operator.
    const answer = await scene.until('an answer', async () => {
      const answered = await call()
      return answered === 'ECONNREFUSED' || answered === 'EHOSTUNREACH' ? undefined : answered
    })
    assert.equal(answer, `200 ${fingerprint}`)
    const url = await scene.kubectl(['-n', NS, 'get', 'router', 'a', '-o', 'jsonpath={.status.url}'])
    assert.equal(url, `https://main.${NS}.svc:5380/a/`)
  })

  test('record.sinks: the file of the sink has the record of a call', async () => {
    await scene.rolledOut(NS, 'main-sink-file')
    const script = "process.stdout.write(require('node:fs').readFileSync('/data/llm-gateway.jsonl'))"
    const line = await scene.until(
      'a record',
      async () => {
        await call()
        const argv = ['-n', NS, 'exec', 'deploy/main-sink-file', '--', 'node', '-e', script]
        const { code, stdout } = await scene.cluster.kubectl(argv)
        return code === 0 && stdout.includes('\n') ? stdout.split('\n')[0] : undefined
      },
      ROLLOUT_MS,
    )
    assert.equal(JSON.parse(line).request.gl_path, '/a/')
  })

  test('the command for dead letters runs in the pod of the sink, and lists none', async () => {
    const command = ['node', '/app/processors/nats2log/src/dead-letters.ts']
    const argv = [...command, '-o', '/etc/llm-gateway-sink/nats2file_config.json', 'list']
    assert.equal(await scene.kubectl(['-n', NS, 'exec', 'deploy/main-sink-file', '--', ...argv]), '')
  })

  test('a renewed certificate is in use without a restart', async () => {
    const pods = await scene.kubectl(PODS)
    const fingerprint = await certify('second')
    await scene.apply(router('2'))
    await until('the new certificate', async () => (await call()) === `200 ${fingerprint}`)
    assert.equal(await scene.kubectl(PODS), pods)
  })

  test('without tls callers use HTTP again, and a removed sink is deleted', async () => {
    await scene.apply(gateway({ tls: null, record: null }))
    await until('HTTP', async () => {
      const script = `const a = await fetch('http://main.${NS}.svc:5380/a/', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).catch(() => ({})); console.log(a.status)`
      return (await inObserver(script)) === '200'
    })
    await until('no sink', async () => {
      return !/sink/.test(await scene.kubectl(['-n', NS, 'get', 'deployments,configmaps', '-o', 'name']))
    })
  })
})
