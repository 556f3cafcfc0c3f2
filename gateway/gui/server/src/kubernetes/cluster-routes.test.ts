import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ThreadError } from '@llm-gateway/sdk'
import { ApiRequests } from './api-requests.ts'
import { clusterRoutes } from './cluster-routes.ts'
import { SeenVersions } from './seen-versions.ts'

const unused = () => Promise.reject(new TypeError('not called'))
const PATHS = ['/api/v1/resources/check', '/api/v1/resources/dry-run', '/api/v1/resources/apply']

/** Asks each route that takes a manifest, while every question to the thread fails with this error. */
function askAll(error: Error) {
  const owner = { namespace: 'llm', gateway: 'main', readRole: 'ClusterRole/read' }
  const routes = clusterRoutes({
    cluster: { ask: () => Promise.reject(error) },
    requests: new ApiRequests({ request: unused }, owner),
    owner,
    mode: 'Edit',
    file: unused,
    seen: new SeenVersions(),
  }).filter(({ endpoint }) => PATHS.includes(endpoint.path))
  assert.equal(routes.length, PATHS.length)
  const caller = { name: 'ann', ended: new AbortController().signal }
  return routes.map((route) =>
    route.answer({ parameters: undefined, query: undefined, body: { manifest: 'kind: Router' }, caller }),
  )
}

for (const code of ['TIMEOUT', 'OVERLOADED', 'THREAD_LOST']) {
  test(`a manifest is answered with TOO_MANY if the thread fails with ${code}`, async () => {
    for (const answer of await Promise.all(askAll(new ThreadError({ code }))))
      assert.equal(answer.kind === 'failed' && answer.code, 'TOO_MANY')
  })
}

for (const code of ['THREAD_ANSWER', 'QUESTION_NOT_COPIED', 'CLOSED', 'ENOENT']) {
  test(`the error ${code} of the thread is not answered with TOO_MANY`, async () => {
    for (const answer of askAll(new ThreadError({ code }))) await assert.rejects(answer, { code })
  })
}
