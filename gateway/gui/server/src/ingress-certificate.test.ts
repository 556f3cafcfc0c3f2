import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { createAuthority } from '@llm-gateway/test/fake/certificates'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { startScene } from './fixture/interface-scene.ts'
import { readGuiConfig } from './interface.ts'

const GUI = '/api/v1/files/gui_config.json'

test('a certificate that is missing, is none or has another key keeps the file from being valid', async () => {
  await using authority = await createAuthority()
  await using folder = await temporaryFolder()
  const [page, other] = [await authority.issue('page'), await authority.issue('other')]
  const [file, text] = [join(folder.path, 'gui_config.json'), join(folder.path, 'text.pem')]
  await writeFile(text, 'no certificate')
  const reasonsOf = async (certificate: string, key: string) => {
    const ingress = { enabled: true, certificate_file: certificate, private_key_file: key }
    await writeFile(file, JSON.stringify({ secret: 'x', tls: { ingress } }))
    const lines: string[] = []
    const logger = createLogger({ service: 'gui', write: (line) => lines.push(line) })
    const read = await readGuiConfig(file, {}, logger)
    return read === undefined ? JSON.parse(lines.at(-1) ?? '{}').validation_errors : 'valid'
  }
  const [inCertificate, inKey] = ['certificate', 'private_key'].map((name) => ({
    [`gui_config.tls.ingress.${name}_file`]: 'file:',
  }))
  assert.equal(await reasonsOf(page.certificateFile, page.privateKeyFile), 'valid')
  assert.deepEqual(await reasonsOf(join(folder.path, 'absent.pem'), page.privateKeyFile), inCertificate)
  assert.deepEqual(await reasonsOf(page.certificateFile, join(folder.path, 'absent.pem')), inKey)
  assert.deepEqual(await reasonsOf(text, page.privateKeyFile), inCertificate)
  assert.deepEqual(await reasonsOf(page.certificateFile, text), inKey)
  assert.deepEqual(await reasonsOf(page.certificateFile, other.privateKeyFile), inKey)
})

test('a deploy with which the web interface would not start is refused, and another one is not', async () => {
  await using scene = await startScene()
  const live = await readFile(scene.live('gui_config.json'), 'utf8')
  const deploy = async (path: readonly string[], value: unknown) => {
    const { tag } = (await scene.script('GET', GUI)).json
    const saved = await scene.script('PUT', `${GUI}/draft`, { tag, edits: [{ op: 'set', path, value }] })
    return await scene.script('POST', `${GUI}/deploy`, { tag: saved.json.tag })
  }
  const refused = await deploy(['tls', 'ingress', 'enabled'], true)
  assert.equal(refused.json.error.code, 'NOT_VALID', refused.text)
  assert.equal(await readFile(scene.live('gui_config.json'), 'utf8'), live)
  assert.equal((await deploy(['tls', 'ingress', 'enabled'], false)).json.error.code, 'NO_DRAFT')
  assert.equal((await deploy(['log_level'], 'WARN')).status, 200)
})
