import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '@llm-gateway/test/fake/api-server'
import { type ClusterScene, gatewayManifest, routerManifest, startClusterScene } from './cluster-scene-under-test.ts'

describe('the Kubernetes edition during outages', { skip: whyNoApiServer(process.env) }, () => {
  let scene: ClusterScene
  before(async () => {
    scene = await startClusterScene({ mode: 'Edit', namespaces: [] })
    await scene.apply(gatewayManifest(), routerManifest('first'))
  })
  after(async () => scene?.[Symbol.asyncDispose]())

  const seen = (name: string) =>
    scene.until(`Router ${name}`, async () => {
      const { json } = await scene.ask('resources')
      return json.resources.some((one: { name: string }) => one.name === name) ? true : undefined
    })

  test('during an outage of the API server the last known resources are shown, requests fail with the reason, and the watch resumes', async () => {
    await seen('first')
    await scene.server.apiServer.kill('SIGKILL')
    const { json, status } = await scene.ask('resources')
    assert.deepEqual([status, json.total], [200, 2])
    const parameters = { kind: 'Router', namespace: 'llm', name: 'first' }
    const shown = await scene.ask('resource', { parameters })
    assert.deepEqual([shown.status, shown.json.error.code], [502, 'CLUSTER_NOT_REACHABLE'])
    assert.equal((await scene.ask('overview')).status, 200)
    assert.equal((await scene.open('/readyz')).status, 200)
    await scene.server.apiServer.start()
    await scene.until('the API server takes writes', async () => {
      const { code } = await scene.server.kubectl(['apply', '-f', '-'], JSON.stringify(routerManifest('second')))
      return code === 0 ? true : undefined
    })
    await seen('second')
  })

  test('a watch from an expired version lists again and drops resources that were deleted meanwhile', async () => {
    // The kill ends the watches, and the history is compacted before they resume.
    await scene.server.apiServer.kill('SIGKILL')
    await scene.server.apiServer.start()
    await scene.until('a Router less', async () => {
      const { code } = await scene.server.kubectl(['-n', 'llm', 'delete', 'router', 'first', '--ignore-not-found'])
      return code === 0 ? true : undefined
    })
    await scene.server.compact()
    await scene.until('it is gone', async () => {
      const { json } = await scene.ask('resources')
      return json.resources.every((one: { name: string }) => one.name !== 'first') ? true : undefined
    })
    await scene.apply(routerManifest('third'))
    await seen('third')
  })

  test('a restart shows the same resources, and without an API server the web interface starts and is not ready', async () => {
    await scene.restart()
    await seen('third')
    await scene.server.apiServer.kill('SIGKILL')
    await scene.restart()
    assert.equal((await scene.open('/healthz')).status, 200)
    assert.equal((await scene.open('/readyz')).status, 503)
    const { json } = await scene.ask('resources')
    assert.equal(json.total, 0)
    assert.ok(json.unreadable.length > 0)
    assert.equal((await scene.ask('overview')).json.gateway.reachable, false)
  })
})
