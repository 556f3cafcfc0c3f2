import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startCluster, whyNoCluster } from './cluster.ts'

test('a cluster named by KUBECONFIG is used in its own network and left unchanged', async () => {
  const environment = { KUBECONFIG: '/somebody/elses', PATH: '/usr/bin:/bin' }
  assert.equal(whyNoCluster(environment), false)
  const cluster = await startCluster(environment)
  assert.equal(cluster.kubeconfig, '/somebody/elses')
  assert.equal((await cluster.exec(['sh', '-c', 'echo $KUBECONFIG'])).stdout, '/somebody/elses\n')
  await cluster.loadImage('no-such-file')
  await cluster.close()
})

test('in CI there is never a reason to do without a cluster', () => {
  assert.equal(whyNoCluster({ CI: 'true' }), false)
})
