import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { readSettingFile, SettingFileError } from './setting-file.ts'

// Rules: docs/reference/configuration-rules.md#tls-settings

test('only a file of at most 1 MiB is read: neither a pipe, nor a folder, nor a larger file', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-setting-'))
  context.after(() => rm(folder, { recursive: true }))
  const at = (name: string): string => join(folder, name)
  await promisify(execFile)('mkfifo', [at('pipe')])
  for (const name of ['most', 'large']) await writeFile(at(name), '')
  await truncate(at('most'), 1024 * 1024)
  await truncate(at('large'), 1024 * 1024 + 1)
  const codeFor = (name: string): Promise<string> =>
    readSettingFile('field', at(name)).then(
      (text) => `${text.length} characters`,
      (error) => (error instanceof SettingFileError ? error.code : String(error)),
    )
  const names = ['pipe', '.', 'large', 'none', 'most']
  const codes = await Promise.all(names.map(codeFor))
  assert.deepEqual(codes, ['FILE_NOT_READABLE', 'EISDIR', 'FILE_TOO_LARGE', 'ENOENT', '1048576 characters'])
})
