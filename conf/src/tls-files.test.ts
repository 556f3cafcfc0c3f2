import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSinkConfig } from './check-file.ts'
import { checkGlConfig } from './check-gl-config.ts'
import { checkTlsFiles, tlsFiles } from './tls-files.ts'

// Rules: docs/reference/configuration-rules.md#tls-settings

function filesOf(file: object): ReadonlyMap<string, string> {
  const verdict = checkGlConfig(Buffer.from(JSON.stringify(file)), { environment: {} })
  assert.ok(verdict.kind === 'checked')
  return tlsFiles(verdict.config.settings, 'gl_config')
}

test('certificate and key are required when ingress TLS is enabled, and ignored when it is not', () => {
  const ingress = { certificate_file: 'c.pem', private_key_file: 'k.pem' }
  assert.equal(filesOf({ tls: { ingress } }).size, 0)
  assert.deepEqual(
    [...filesOf({ tls: { ingress: { ...ingress, enabled: true } } })],
    [
      ['gl_config.tls.ingress.certificate_file', 'c.pem'],
      ['gl_config.tls.ingress.private_key_file', 'k.pem'],
    ],
  )
})

test('authorities and the files of the bus are needed too', () => {
  const files = filesOf({
    tls: { outbound: { cert_files: ['a.pem', 'b.pem'] } },
    service_bus: { tls: { ca_file: 'ca.pem', cert_file: '', key_file: 'key.pem' } },
  })
  assert.deepEqual(Object.fromEntries(files), {
    'gl_config.tls.outbound.cert_files[0]': 'a.pem',
    'gl_config.tls.outbound.cert_files[1]': 'b.pem',
    'gl_config.service_bus.tls.ca_file': 'ca.pem',
    'gl_config.service_bus.tls.key_file': 'key.pem',
  })
})

test('a sink’s files are found under tls.outbound in both forms of the setting', () => {
  const verdict = checkSinkConfig(Buffer.from('{"tls":{"cert_files":["a.pem"]}}'), { environment: {} })
  assert.ok(verdict.kind === 'checked')
  assert.deepEqual([...tlsFiles(verdict.config, 'sink_config')], [['sink_config.tls.outbound.cert_files[0]', 'a.pem']])
})

test('a missing or unnamed file is reported by its setting, without the file’s name', async () => {
  const files = new Map([
    ['a', 'there.pem'],
    ['b', 'missing.pem'],
    ['c', ''],
  ])
  const errors = await checkTlsFiles(files, async (file) => file === 'there.pem')
  assert.deepEqual(errors, { b: 'file:', c: 'required:' })
})
