import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGlConfig } from '@llm-gateway/conf'
import { compile } from '../config/compile.ts'
import type { RouteTable } from '../config/runtime-config.ts'
import { FirstHead } from '../http/first-head.ts'
import { admittingRouter } from './admitting-router.ts'

// Rules: docs/reference/configuration-rules.md#routers-in-the-file

const OUTBOUND = { outbound: { url: 'http://h' } }
const ROUTERS = [
  { path: '/open/', ...OUTBOUND },
  { path: '/json/', ingress: { headers: { 'Content-Type': ['application/json'] } }, ...OUTBOUND },
  { path: '/locked/', ingress: { headers: { 'Api-Key': ['right'] } }, ...OUTBOUND },
  { path: '/inner/', internal: true, ...OUTBOUND },
  { path: '/off/', disabled: true },
]

function routesOf(): RouteTable {
  const check = checkGlConfig(Buffer.from(JSON.stringify({ routers: ROUTERS })), { environment: {} })
  assert.ok(check.kind === 'checked')
  return compile(check.config, check.digest).routes
}

const HEADS = [
  ['/open/', '', '/open/'],
  ['/json/x?a=b', 'Content-Type: text/plain\r\n', '/json/'],
  ['/locked/x', 'api-key: right\r\n', '/locked/'],
  ['/locked/x', 'api-key: wrong\r\n', ''],
  ['/locked/x', 'api-key: right\r\napi-key: right\r\n', ''],
  ['/locked/x', '', ''],
  ['/inner/', '', ''],
  ['/off/', '', ''],
  ['/other/', '', ''],
] as const

for (const [target, headers, router] of HEADS)
  test(`${target} with ${JSON.stringify(headers)} is admitted by ${router === '' ? 'no router' : router}`, () => {
    const head = FirstHead.of(Buffer.from(`POST ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`))
    assert.ok(head !== undefined)
    assert.equal(admittingRouter(routesOf(), head), router)
  })
