import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { z } from 'zod'
import { checkProcessorSettings } from './processor-settings.ts'

const schema = z.object({
  rate: z.preprocess((value) => (value === '2' ? 2 : value), z.number().default(1)),
  pools: z.array(z.object({ router: z.string() })).default([]),
  key: z.string().default('${KEY}'),
})
const references = { environment: { KEY: 'from the environment', NATS_TOKEN: 'token' } }

function check(file: object, overrides?: ReadonlyMap<string, string>) {
  const form = { schema, root: 'test_config', ...(overrides === undefined ? {} : { overrides }) }
  return checkProcessorSettings(Buffer.from(JSON.stringify(file)), references, form)
}

test('an empty settings file has every default, with expanded references', () => {
  const verdict = check({})
  assert.ok(verdict.kind === 'checked')
  const { service_bus, ...rest } = verdict.config
  assert.deepEqual(rest, { version: '1.0.1', log_level: 'INFO', rate: 1, pools: [], key: 'from the environment' })
  assert.equal(service_bus.token, 'token')
})

test('keys that are neither common to all processors nor known to this processor are reported', () => {
  const file = { $schema: 's', stray: 1, service_bus: { strange: 1 }, pools: [{ router: '/', odd: 1 }] }
  const unknown = ['test_config.stray', 'test_config.service_bus.strange', 'test_config.pools[0].odd']
  const verdict = check(file)
  assert.deepEqual(verdict.kind === 'checked' && verdict.unknownKeys, unknown)
})

test('a strict schema accepts the keys that every processor has', () => {
  const strict = { schema: z.strictObject({ own: z.string().default('x') }), root: 'test_config' }
  const file = (value: object) => checkProcessorSettings(Buffer.from(JSON.stringify(value)), references, strict)
  assert.equal(file({ $schema: 's', version: '1.0.0', log_level: 'WARN', service_bus: {} }).kind, 'checked')
  assert.equal(file({ stray: 1 }).kind, 'invalid')
})

test('errors in common and own settings are reported by path and code', () => {
  const verdict = check({ log_level: 'LOUD', rate: 'planted-secret', pools: [{}, { router: 1 }] })
  assert.deepEqual(verdict.kind === 'invalid' && verdict.validationErrors, {
    'test_config.log_level': 'oneof:DEBUG INFO WARN ERROR',
    'test_config.rate': 'type:number',
    'test_config.pools[0].router': 'required:',
    'test_config.pools[1].router': 'type:string',
  })
})

test('overrides replace the values of the file, and references in them are not expanded', () => {
  const verdict = check(
    { rate: 7, key: '${KEY}' },
    new Map([
      ['rate', '2'],
      ['key', '${KEY}'],
    ]),
  )
  assert.ok(verdict.kind === 'checked')
  assert.equal(verdict.config.rate, 2)
  assert.equal(verdict.config.key, '${KEY}')
})

test('a settings file may be gzip; a file that is not JSON, or not an object, is invalid as a whole', () => {
  const form = { schema, root: 'test_config' }
  assert.equal(checkProcessorSettings(gzipSync('{"rate":3}'), references, form).kind, 'checked')
  for (const [text, reason] of [
    ['{', 'json: line 1, column 2'],
    ['[]', 'type:object'],
    ['', 'json: line 1, column 1'],
  ] as const) {
    const verdict = checkProcessorSettings(Buffer.from(text), references, form)
    assert.deepEqual(verdict.kind === 'invalid' && verdict.validationErrors, { test_config: reason })
  }
})

test('__proto__ in a settings file is an unknown key', () => {
  const form = { schema, root: 'test_config' }
  const verdict = checkProcessorSettings(Buffer.from('{"__proto__":{"rate":5}}'), references, form)
  assert.ok(verdict.kind === 'checked')
  assert.equal(verdict.config.rate, 1)
  assert.deepEqual(verdict.unknownKeys, ['test_config.__proto__'])
})
