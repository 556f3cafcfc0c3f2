import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoCluster } from '../fake/cluster.ts'
import { curl } from './curl.ts'
import {
  busReaderPolicy,
  gatewayObject,
  namespaceObject,
  routerObject,
  secretObject,
  UPSTREAM,
} from './gateway-objects.ts'
import { IMAGE, type KubeScene, OBSERVER_NAMESPACE, startKubeScene } from './kube-scene.ts'
import { observerObjects } from './observer-manifest.ts'
import { askWebInterface, POD_RIGHTS_SCRIPT, runNodeScript, watchTriedCall } from './web-interface.ts'

const NS = 'llm'
const KEY = 'planted-real-key'
const CALLER = 'planted-caller-key'

describe('one Router in a real cluster', { skip: whyNoCluster(process.env) }, () => {
  let scene: KubeScene
  let url = ''

  before(async () => {
    scene = await startKubeScene(process.env)
    await scene.apply(namespaceObject(NS))
  })
  after(async () => scene?.close())

  const restricted = (serial: string, variable = 'REAL_KEY') =>
    routerObject(NS, 'restricted', {
      gatewayRef: { name: 'main' },
      path: '/restricted/',
      ingress: { headers: { 'Api-Key': ['${CALLER_KEY}'] } },
      outbound: { url: UPSTREAM, headers: { Authorization: [`Bearer \${${variable}}`], 'X-Serial': [serial] } },
      env: [
        { name: 'CALLER_KEY', valueFrom: { secretKeyRef: { name: 'callers', key: 'a' } } },
        { name: 'REAL_KEY', valueFrom: { secretKeyRef: { name: 'azure', key: 'key' } } },
      ],
    })
  const call = (headers: Readonly<Record<string, string>> = { 'Api-Key': CALLER }) =>
    curl(scene, `${url}/restricted/v1/chat/completions`, headers)
  const seenBy = async () => {
    const answer = await call()
    assert.equal(answer.status, 200, JSON.stringify(answer))
    return JSON.parse(answer.body)
  }
  const conditions = async (name: string): Promise<Readonly<Record<string, readonly [string, string]>>> => {
    const router = JSON.parse(await scene.kubectl(['-n', NS, 'get', 'router', name, '-o', 'json']))
    const list: readonly { type: string; status: string; reason: string; message: string }[] = router.status.conditions
    return Object.fromEntries(list.map(({ type, status, reason }) => [type, [status, reason]]))
  }
  const webInterface = async () => {
    const data = await scene.kubectl(['-n', NS, 'get', 'secret', 'main-web', '-o', 'jsonpath={.data.GUI_SECRET}'])
    return { url: `http://main-web.${NS}.svc:8080`, secret: Buffer.from(data, 'base64').toString() }
  }
  const restarts = async () =>
    scene.kubectl([
      '-n',
      NS,
      'get',
      'pods',
      '-l',
      'llmgateway.io/gateway=main',
      '-o',
      'jsonpath={range .items[*]}{.metadata.uid} {.status.containerStatuses[*].restartCount}{"\\n"}{end}',
    ])

  test('an applied gateway and two Routers are Programmed and answer with the swapped key', async () => {
    await scene.apply(
      gatewayObject(NS, 'main'),
      secretObject(NS, 'callers', { a: CALLER }),
      secretObject(NS, 'azure', { key: KEY }),
      routerObject(NS, 'standard', { gatewayRef: { name: 'main' }, path: '/standard/', outbound: { url: UPSTREAM } }),
      restricted('1'),
    )
    await scene.wait(['-n', NS, 'router/standard', 'router/restricted', 'llmgateway/main'], 'Programmed')
    await scene.wait(['-n', NS, 'llmgateway/main'], 'Ready')
    const address = await scene.kubectl(['-n', NS, 'get', 'service', 'main', '-o', 'jsonpath={.spec.clusterIP}'])
    url = `http://${address}:5380`
    assert.equal((await curl(scene, `${url}/standard/x`)).status, 200)
    assert.equal((await call({})).status, 401)
    assert.equal((await call({ 'Api-Key': 'wrong' })).status, 401)
    assert.deepEqual(await seenBy(), { url: '/llm/v1/chat/completions', serial: '1', key: `Bearer ${KEY}` })
    console.log(scene.phases.map(([name, seconds]) => `${name} ${seconds.toFixed(1)} s`).join(', '))
  })

  test('each call leaves one record on the bus, with masked keys', async () => {
    const token = await scene.kubectl(['-n', NS, 'get', 'secret', 'main-bus-token', '-o', 'jsonpath={.data.token}'])
    await scene.apply(
      { ...secretObject(OBSERVER_NAMESPACE, 'bus', {}), data: { token } },
      busReaderPolicy(NS, 'main', OBSERVER_NAMESPACE),
    )
    await scene.apply(...observerObjects(OBSERVER_NAMESPACE, IMAGE, { secret: 'bus', host: `main-bus.${NS}.svc` }))
    await scene.rolledOut(OBSERVER_NAMESPACE, 'observer')
    const record = await scene.until('a record', async () => {
      await call()
      const records: unknown = await scene.observe('/records')
      return Array.isArray(records) ? records.at(-1) : undefined
    })
    assert.equal(record.request.gl_path, '/restricted/')
    assert.deepEqual(record.request.ingress_headers['Api-Key'], ['[*****MASKED*****]'])
    assert.equal(record.response.egress_status_code, 200)
    // The observer's answer contains the key; the gateway's own parts of the record must not.
    assert.doesNotMatch(JSON.stringify({ ...record.request, ...record.response.egress_headers }), /planted/)
  })

  test('webInterface runs in a pod without rights to write and shows the Router after a login with the generated secret', async () => {
    const before = await restarts()
    await scene.apply(gatewayObject(NS, 'main', { webInterface: {} }))
    await scene.until('the Deployment', async () =>
      (await scene.kubectl(['-n', NS, 'get', 'deployment', 'main-web', '--ignore-not-found', '-o', 'name'])) === ''
        ? undefined
        : true,
    )
    await scene.rolledOut(NS, 'main-web')
    const { url, secret } = await webInterface()
    const calls = [
      { method: 'GET', path: '/login' },
      { method: 'POST', path: '/api/v1/session', body: { secret } },
      { method: 'GET', path: '/api/v1/overview' },
      { method: 'GET', path: '/api/v1/resources' },
      { method: 'DELETE', path: `/api/v1/resources/Router/${NS}/standard` },
    ]
    const [page, session, overview, resources, removal] = await askWebInterface(scene, { url, secret, calls })
    assert.equal(page?.status, 200)
    assert.match(String(page.body), /<!doctype html>/i)
    assert.equal(session?.body.logged_in, true, JSON.stringify(session))
    assert.equal(overview?.body.edition, 'kubernetes', JSON.stringify(overview))
    assert.equal(overview.body.gateway.reachable, true, JSON.stringify(overview.body.gateway))
    const listed: readonly { kind: string; name: string; ready: string }[] = resources?.body.resources ?? []
    const standard = listed.find(({ kind, name }) => kind === 'Router' && name === 'standard')
    assert.equal(standard?.ready, 'True', JSON.stringify(resources))
    assert.equal(removal?.body.error.code, 'READ_ONLY_MODE', JSON.stringify(removal))
    const wrong = await askWebInterface(scene, { url, secret: 'wrong', calls: calls.slice(2, 3) })
    assert.equal(wrong[0]?.status, 401)

    const inside = JSON.parse(await runNodeScript(scene, ['-n', NS, 'exec', 'deploy/main-web'], POD_RIGHTS_SCRIPT))
    assert.deepEqual(inside, { user: 65532, written: [], reads: 200, secret: 403, patches: 403, removes: 403 })
    assert.equal(await restarts(), before, 'no pod of the gateway restarted')
  })

  test('a call tried in the web interface is answered, shown live and kept in the history', async () => {
    const rest = 'v1/chat/completions'
    const ask = { router: '/restricted/', rest, body: '{"said":"in the pod"}', headers: { 'Api-Key': CALLER } }
    const { tried, live, history, record } = await watchTriedCall(scene, { ...(await webInterface()), call: ask })
    assert.deepEqual([tried.at(0)?.event, tried.at(-1)?.event], ['head', 'end'], JSON.stringify(tried))
    assert.equal(tried[0].status, 200)
    const answer = tried.map(({ event, text }) => (event === 'text' ? text : '')).join('')
    assert.equal(JSON.parse(answer).url, '/llm/v1/chat/completions')
    assert.deepEqual([live?.router, live?.status], ['/restricted/', 200], JSON.stringify(tried))
    assert.equal(history.source, 'stream', JSON.stringify(history))
    assert.deepEqual(history.transactions, [live])
    assert.equal(record.record.request.ingress_payload.said, 'in the pod')
    assert.deepEqual(record.record.request.ingress_headers['Api-Key'], ['[*****MASKED*****]'], JSON.stringify(record))
  })

  test('when `kubectl wait` ends for the new generation of an edit, every pod serves the edit', async () => {
    for (const serial of ['2', '3', '4']) {
      await scene.apply(restricted(serial))
      await scene.wait(['-n', NS, 'router/restricted'], 'Programmed')
      for (const _ of Array(8)) assert.equal((await seenBy()).serial, serial)
    }
  })

  test('a Router with a missing reference reports it and answers 404 while the other Router works on, until it is mended', async () => {
    await scene.apply(restricted('5', 'NOWHERE'))
    await scene.wait(['-n', NS, 'router/restricted'], 'Programmed=False')
    assert.deepEqual(await conditions('restricted'), {
      Accepted: ['True', 'Accepted'],
      ResolvedRefs: ['False', 'VariableNotFound'],
      Programmed: ['False', 'VariableNotFound'],
      Ready: ['False', 'VariableNotFound'],
    })
    await scene.until('404', async () => ((await call()).status === 404 ? true : undefined))
    assert.equal((await curl(scene, `${url}/standard/x`)).status, 200)
    await scene.apply(restricted('6'))
    await scene.wait(['-n', NS, 'router/restricted'], 'Programmed')
    assert.equal((await seenBy()).serial, '6')
  })

  test('a rotated key is in use without a restart and without a failed call', async () => {
    const before = await restarts()
    const router = routerObject(NS, 'loaded', {
      gatewayRef: { name: 'main' },
      path: '/loaded/',
      outbound: { url: UPSTREAM, headers: { Authorization: ['Bearer ${K}'], 'X-Serial': ['0'] } },
      env: [{ name: 'K', valueFrom: { secretKeyRef: { name: 'azure', key: 'serial' } } }],
    })
    await scene.apply(secretObject(NS, 'azure', { key: KEY, serial: 'rotated-1' }), router)
    await scene.wait(['-n', NS, 'router/loaded'], 'Programmed')
    const target = encodeURIComponent(`http://main.${NS}.svc:5380/loaded/`)
    await scene.observe(`/load?callers=2&url=${target}`)
    await scene.apply(secretObject(NS, 'azure', { key: `${KEY}-2`, serial: 'rotated-2' }))
    await scene.until('the rotated key', async () => ((await seenBy()).key === `Bearer ${KEY}-2` ? true : undefined))
    await scene.wait(['-n', NS, 'llmgateway/main'], 'Programmed')
    for (const _ of Array(8)) assert.equal((await seenBy()).key, `Bearer ${KEY}-2`)
    assert.deepEqual(await scene.endLoad(), {})
    assert.equal(await restarts(), before)
  })

  test('no secret value is in a ConfigMap, a status, an event or a log', async () => {
    const objects = await scene.kubectl(['get', 'configmaps,events,llm,deployments,pods', '-A', '-o', 'yaml'])
    assert.match(objects, /gl_config.json/)
    const logs = await Promise.all([
      scene.kubectl(['-n', 'llm-gateway-system', 'logs', 'deploy/llm-gateway-operator']),
      scene.kubectl(['-n', NS, 'logs', '-l', 'llmgateway.io/gateway=main', '--tail=-1']),
      scene.kubectl(['-n', NS, 'logs', 'main-bus-0']),
      scene.kubectl(['-n', NS, 'logs', 'deploy/main-web']),
    ])
    const token = await scene.kubectl(['-n', NS, 'get', 'secret', 'main-bus-token', '-o', 'jsonpath={.data.token}'])
    const plain = Buffer.from(token, 'base64').toString()
    for (const text of [objects, ...logs]) {
      assert.doesNotMatch(text, /planted|rotated-\d/)
      assert.ok(!text.includes(plain) && !text.includes(token))
    }
  })

  test('a deleted Router answers 404, and calls succeed without the operator', async () => {
    await scene.kubectl(['-n', NS, 'delete', 'router', 'loaded'])
    await scene.until('404', async () => ((await curl(scene, `${url}/loaded/x`)).status === 404 ? true : undefined))
    await scene.kubectl(['-n', 'llm-gateway-system', 'delete', 'deployment', 'llm-gateway-operator', '--wait'])
    for (const _ of Array(8)) assert.equal((await call()).status, 200)
    assert.match(await scene.kubectl(['-n', NS, 'get', 'pods', '-l', 'llmgateway.io/gateway=main']), /Running/)
  })
})
