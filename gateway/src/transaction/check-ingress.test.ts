import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkGlConfig } from '@llm-gateway/conf'
import { compile } from '../config/compile.ts'
import { Header } from '../http/headers.ts'
import { checkIngress } from './check-ingress.ts'

// Rules: docs/reference/configuration-rules.md#routers-in-the-file

const CALLS = 20_000
const EXPECTED = 'x'.repeat(60_000)

test('a refused call takes no time for the length of the expected value', () => {
  const router = { path: '/a/', ingress: { headers: { 'Api-Key': [EXPECTED] } }, outbound: { url: 'http://h' } }
  const check = checkGlConfig(Buffer.from(JSON.stringify({ routers: [router] })), { environment: {} })
  assert.ok(check.kind === 'checked')
  const route = compile(check.config, check.digest).routes.byPath.get('/a/')
  assert.ok(route !== undefined && route !== 'inactive')
  const kindOf = (value: string) =>
    checkIngress(route, new Map([['api-key', new Header('api-key', [value])]]), false).kind
  assert.equal(kindOf(EXPECTED), 'admitted')
  for (const wrong of ['', 'x', `${EXPECTED}x`, `${EXPECTED.slice(1)}y`]) assert.equal(kindOf(wrong), 'refused')
  const before = process.cpuUsage()
  for (let i = 0; i < CALLS; i += 1) kindOf('x')
  const { user, system } = process.cpuUsage(before)
  // Reading the expected value for each call would take a second.
  assert.ok(user + system < 150_000, `${(user + system) / 1_000} ms`)
})
