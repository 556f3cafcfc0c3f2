import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGlConfig, type Environment } from '@llm-gateway/conf'
import { compile } from './compile.ts'
import type { Route } from './runtime-config.ts'

// Rules: docs/reference/configuration-rules.md#routers-in-the-file, docs/reference/http.md#paths

const REFERENCE = '$KEY'

function routeOf(router: object, environment: Environment = {}): Route {
  const file = { routers: [{ path: '/a/', ...router }] }
  const check = checkGlConfig(Buffer.from(JSON.stringify(file)), { environment })
  assert.equal(check.kind, 'checked')
  if (check.kind !== 'checked') throw new Error('unreachable')
  const route = compile(check.config, check.digest).routes.byPath.get('/a/')
  assert.ok(route !== undefined && route !== 'inactive', JSON.stringify(check.config.rejectedFields))
  return route
}

test('`regex:.+` written in the file accepts any value; as the value of a reference it accepts only this text', () => {
  const ingress = (value: string) => ({ ingress: { headers: { 'Api-Key': [value] } }, outbound: { url: 'http://h' } })
  assert.equal(routeOf(ingress('regex:.+')).ingress[0]?.kind, 'present')
  const keyed = routeOf(ingress(REFERENCE), { KEY: 'regex:.+' }).ingress[0]
  assert.equal(keyed?.kind === 'equal' && keyed.text, 'regex:.+')
})

const targets: readonly [title: string, url: string, endpoint: string, origin: string, path: string, query: string][] =
  [
    ['a bare host', 'http://h', '', 'http://h', '', ''],
    ['a path as it is written', 'http://h:81/a%20b//c/', '', 'http://h:81', '/a%20b//c/', ''],
    ['the url query', 'https://h/x?a=1&b=2', '', 'https://h', '/x', 'a=1&b=2'],
    ['the endpoint query over the url query', 'https://h/x?a=1&b=2', 'e?b=3', 'https://h', '/x', 'a=1&b=3'],
    ['a query without a path', 'https://h?a=1', '', 'https://h', '', 'a=1'],
  ]

test('the target keeps url and endpoint as text', () => {
  for (const [title, url, endpoint, origin, path, query] of targets) {
    const { target } = routeOf({ outbound: { url, endpoint } })
    const text = target.query.map((parameter) => parameter.raw).join('&')
    assert.deepEqual([target.origin, target.urlPath, text], [origin, path, query], title)
  }
})

test('user-info in the url becomes Basic authorization unless the router sets its own', () => {
  const plain = routeOf({ outbound: { url: 'http://user:p%40ss@h/' } }).target
  assert.equal(plain.origin, 'http://h')
  assert.deepEqual(
    plain.headers.map(({ canonical, values }) => [canonical, values]),
    [['Authorization', [`Basic ${Buffer.from('user:p@ss').toString('base64')}`]]],
  )
  const broken = routeOf({ outbound: { url: 'http://a%zz:b@h/' } }).target.headers[0]?.values
  assert.deepEqual(broken, [`Basic ${Buffer.from('a%zz:b').toString('base64')}`])
  const own = routeOf({ outbound: { url: 'http://user:p@h/', headers: { authorization: ['Bearer x'] } } }).target
  assert.deepEqual(
    own.headers.map(({ values }) => values),
    [['Bearer x']],
  )
})

test('of a router with a thousand secrets in its address, the route keeps as many as hide the whole address', () => {
  const segments = Array.from({ length: 1_000 }, (_, index) => `s-${index}`)
  const keys = segments.slice(0, 3)
  const secretsOf = (key: readonly string[]) =>
    routeOf({ outbound: { url: 'http://h/${KEY}' } }, { KEY: key.join('/') }).target.addressSecrets
  assert.deepEqual([secretsOf(keys), secretsOf(segments).length], [keys, 49])
})
