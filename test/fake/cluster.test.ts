import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCluster, whyNoCluster } from './cluster.ts'

test('where KUBECONFIG names a cluster it is used, in its own network, and left as it is', async () => {
  const environment = { KUBECONFIG: '/somebody/elses', PATH: '/usr/bin:/bin' }
  assert.equal(whyNoCluster(environment), false)
  const cluster = await startCluster(environment)
  assert.equal(cluster.kubeconfig, '/somebody/elses')
  assert.equal((await cluster.exec(['sh', '-c', 'echo $KUBECONFIG'])).stdout, '/somebody/elses\n')
  await cluster.loadImage('no-such-file')
  await cluster.close()
})

test('where there can be no cluster the reason is a sentence, never in CI', () => {
  assert.equal(whyNoCluster({ CI: 'true' }), false)
})
