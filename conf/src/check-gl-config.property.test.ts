import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { checkGlConfig, parseGlConfig } from './check-gl-config.ts'
import { expand } from './env-reference.ts'
import type { CheckedRouter } from './router-entry.ts'

// Rules: docs/reference/configuration-rules.md#references, docs/reference/configuration-rules.md#rejection

const environment = { A: 'a', YES: 'true', B: '', NATS_TOKEN: 't' }
const kinds = new Set(['invalid', 'unfinished', 'checked'])

function judge(bytes: Uint8Array): void {
  for (const secrets of [undefined, new Map([['A', 'b']])]) {
    const references = secrets === undefined ? { environment } : { environment, secrets }
    const verdict = checkGlConfig(bytes, references)
    assert.ok(kinds.has(verdict.kind))
    assert.equal(parseGlConfig(bytes, references).digest, verdict.digest)
  }
}

test('checkGlConfig returns a result for any bytes', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), judge))
})

test('checkGlConfig returns a result for any JSON, compressed or not', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const json = Buffer.from(JSON.stringify(value))
      judge(json)
      judge(gzipSync(json))
    }),
  )
})

const BAD = ['${B}', 'x${C}', '${V_0123456789abcdef}', '${NATS_TOKEN}', 'a\0', '../x']

/** Mostly valid values, so that enough routers are active. */
function among(...good: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...good) }, fc.constantFrom(...BAD))
}
const names = fc.constantFrom('Api-Key', 'api-key', 'X', 'toString')
const headers = fc.dictionary(names, fc.array(among('x', '${A}', 'Bearer ${A}'), { maxLength: 2 }), { maxKeys: 2 })
const router = fc.record(
  {
    path: among('/a/', '/b/', '/c/', '/d/', '/e/', '/echo/', '/'),
    ingress: fc.record({ headers }, { requiredKeys: [] }),
    outbound: fc.record(
      { url: among('https://h/', 'http://h/${A}'), endpoint: among('', 'x', '?v=${A}'), headers },
      { requiredKeys: ['url'] },
    ),
    internal: fc.constantFrom(true, false, '$YES'),
  },
  { requiredKeys: ['path', 'outbound'] },
)

test('a router is active only if every reference in it has a value', () => {
  let active = 0
  fc.assert(
    fc.property(fc.array(router, { maxLength: 6 }), (routers) => {
      const verdict = checkGlConfig(Buffer.from(JSON.stringify({ routers })), { environment })
      assert.ok(verdict.kind === 'checked')
      const { rejectedFields, routers: judged } = verdict.config
      const paths = judged.map(({ path }) => path)
      assert.equal(new Set(paths).size, paths.length)
      for (const [index, entry] of routers.entries()) {
        const reasons = Object.keys(rejectedFields).filter((field) => field.startsWith(`gl_config.Routers[${index}].`))
        const checked: CheckedRouter | undefined = judged.find((router) => router.index === index)
        assert.equal(checked?.kind === 'active', reasons.length === 0, JSON.stringify(entry))
        if (checked?.kind !== 'active') continue
        active += 1
        for (const value of valuesOf(entry)) assert.ok(!BAD.includes(value) || value === '../x', value)
      }
    }),
    { numRuns: 500 },
  )
  assert.ok(active > 50, `${active} were active`)
})

test('references are expanded in one pass: references inside a value stay text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, value) => {
      const literal = before.replaceAll('$', '')
      assert.equal(expand(`${literal}\${X}`, { environment: { X: value, A: 'no' } }).text, literal + value)
    }),
  )
  for (const value of ['${A}', '$A', '$${A}', '${X}', '$&', '$1', "$'"]) {
    assert.equal(expand('<${X}>', { environment: { X: value, A: 'no' } }).text, `<${value}>`)
  }
})

test('a secret with any characters changes nothing but its own field', () => {
  const routers = [
    { path: '/a/', outbound: { url: 'https://h/', headers: { Key: ['${KEY}'] } } },
    { path: '/b/', outbound: { url: 'https://h/' } },
  ]
  const bytes = Buffer.from(JSON.stringify({ routers, service_bus: { token: '${KEY}' } }))
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (KEY) => {
      const verdict = checkGlConfig(bytes, { environment: { KEY } })
      assert.ok(verdict.kind === 'checked')
      assert.equal(verdict.config.settings.service_bus.token, KEY)
      const [a, b] = verdict.config.routers
      assert.equal(b?.kind, 'active')
      if (a?.kind === 'active') assert.deepEqual(a.outbound.headers, [{ name: 'Key', values: [KEY], secret: true }])
      else assert.doesNotMatch(KEY, /^[\x20-\x7e]+$/)
    }),
  )
})

function valuesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesOf) : []
}
