import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { validate } from './validate.ts'

// Rules: docs/reference/configuration-rules.md#tls-settings

test('a certificate with which the gateway would not start fails the validation', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-validate-'))
  context.after(() => rm(folder, { recursive: true }))
  const authority = await createAuthority()
  context.after(() => authority.close())
  const [one, other] = [await authority.issue('one'), await authority.issue('other')]
  const garbage = join(folder, 'garbage.pem')
  await writeFile(garbage, 'no certificate')
  const isValid = async (certificateFile: string, privateKeyFile: string): Promise<boolean> => {
    const file = join(folder, 'gl_config.json')
    const ingress = { enabled: true, certificate_file: certificateFile, private_key_file: privateKeyFile }
    await writeFile(file, JSON.stringify({ routers: [], tls: { ingress } }))
    const logger = createLogger({ service: 'gl', level: 'ERROR', write: () => undefined })
    return await validate({ file, environment: {}, logger })
  }
  assert.equal(await isValid(one.certificateFile, one.privateKeyFile), true)
  assert.equal(await isValid(one.certificateFile, other.privateKeyFile), false)
  assert.equal(await isValid(garbage, one.privateKeyFile), false)
  assert.equal(await isValid(one.certificateFile, garbage), false)
})
