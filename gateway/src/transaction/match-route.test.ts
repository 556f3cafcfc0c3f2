import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGlConfig } from '@llm-gateway/conf'
import { compile } from '../config/compile.ts'
import type { RouteTable } from '../config/runtime-config.ts'
import { matchRoute } from './match-route.ts'

// Rules: docs/reference/http.md#paths, docs/reference/configuration-rules.md#routers-in-the-file

function routesOf(paths: readonly string[]): RouteTable {
  const routers = paths.map((path) => ({ path, outbound: { url: 'http://h' } }))
  const check = checkGlConfig(Buffer.from(JSON.stringify({ routers })), { environment: {} })
  assert.ok(check.kind === 'checked')
  return compile(check.config, check.digest).routes
}

test('a path of thousands of slashes takes few look-ups, also beside the deepest router', () => {
  const deepest = `${'/a'.repeat(128)}/`
  const { byPath, ...routes } = routesOf(['/', '/b/b/', deepest])
  assert.notEqual(byPath.get(deepest), 'inactive')
  const lookedUp: string[] = []
  const counted = new Map(byPath)
  counted.get = (path) => {
    lookedUp.push(path)
    return byPath.get(path)
  }
  const match = matchRoute({ ...routes, byPath: counted }, '/b'.repeat(4_000).concat('/'))
  assert.equal(match.kind === 'matched' && match.route.path, '/b/b/')
  assert.ok(lookedUp.length <= 4, `${lookedUp.length} look-ups`)
})

for (const segments of [128, 50_000]) {
  test(`a router of 1 + ${segments} segments is rejected, and its callers reach no router with a shorter path`, () => {
    const long = `/a/${'b/'.repeat(segments)}`
    const routes = routesOf(['/', '/a/', long])
    const match = matchRoute(routes, `${long}x`)
    assert.equal(match.kind === 'refused' && match.code, 'ROUTER_NOT_FOUND')
    for (const path of ['/c/x', '/a/b/x']) assert.equal(matchRoute(routes, path).kind, 'matched')
  })
}

test('a path without its last slash gets a hint only where callers reach the router', () => {
  const outbound = { url: 'http://h' }
  const routers = [
    { path: '/', outbound },
    { path: '/open/', outbound },
    { path: '/inside/', outbound, internal: true },
    { path: '/off/', outbound, disabled: true },
  ]
  const check = checkGlConfig(Buffer.from(JSON.stringify({ routers })), { environment: {} })
  assert.ok(check.kind === 'checked')
  const { routes } = compile(check.config, check.digest)
  const refused = { kind: 'refused', code: 'ROUTER_NOT_FOUND' }
  assert.deepEqual(matchRoute(routes, '/open'), { ...refused, message: 'This path lacks its last slash.' })
  for (const path of ['/inside', '/off']) assert.deepEqual(matchRoute(routes, path), refused)
  assert.equal(matchRoute(routes, '/other').kind, 'matched')
})
