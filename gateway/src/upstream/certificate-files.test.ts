import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { rootCertificates } from 'node:tls'
import { Journal } from '@llm-gateway/test/fake/journal'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { failureFields } from '../setting-file.ts'
import { startCertificateFiles } from './certificate-files.ts'

// Rules: docs/reference/configuration-rules.md#tls-settings

const LIST = rootCertificates.join('\n')
const MANY = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n'.repeat(400)
const LIMIT = { most_bytes: 512 * 1024, most_certificates: 400 }

function journalOf() {
  const lines = new Journal<{ readonly fields: object; readonly message: string }>()
  const log = (fields: object, message: string): void => lines.add({ fields, message })
  return { lines, logger: { level: 'INFO', debug: log, info: log, warn: log, error: log } as const }
}

async function write(folder: string, texts: readonly string[]): Promise<readonly string[]> {
  const files = texts.map((_, index) => join(folder, `${index}.pem`))
  for (const [index, file] of files.entries()) await writeFile(file, texts[index] ?? '')
  return files
}

test('the lists of authorities of two systems are read', async () => {
  await using folder = await temporaryFolder()
  const files = await write(folder.path, [LIST, LIST])
  const certificates = await startCertificateFiles(files, journalOf().logger)
  assert.deepEqual(certificates.current, [LIST, LIST])
  certificates.close()
})

for (const [what, texts] of [
  ['too many bytes', [LIST, '\n'.repeat(512 * 1024)]],
  ['too many certificates', [LIST, MANY]],
] as const) {
  test(`files of authorities with ${what} together are refused, with the limit`, async () => {
    await using folder = await temporaryFolder()
    const files = await write(folder.path, texts)
    const refused = await startCertificateFiles(files, journalOf().logger).catch((error) => failureFields(error))
    const place = { field: 'tls.outbound.cert_files[1]', file: files[1] }
    assert.deepEqual(refused, { code: 'CERTIFICATES_TOO_LARGE', ...place, ...LIMIT })
  })
}

test('while the files have too many certificates together, the old ones stay in use', async () => {
  await using folder = await temporaryFolder()
  const files = await write(folder.path, [LIST, LIST])
  const { lines, logger } = journalOf()
  const certificates = await startCertificateFiles(files, logger)
  await writeFile(files[1] ?? '', MANY)
  const [line] = await lines.waitForCount(1)
  assert.deepEqual(
    [Object.entries(line?.fields ?? {})[0], line?.message],
    [['code', 'CERTIFICATES_TOO_LARGE'], 'certificate could not be reloaded; the previous one stays in use'],
  )
  assert.deepEqual(certificates.current, [LIST, LIST])
  certificates.close()
})
