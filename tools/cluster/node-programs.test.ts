import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ensureNodePrograms } from './node-programs.ts'

const skip = process.platform === 'linux' ? false : 'a Kubernetes node needs Linux'

test('without packages and programs the reason names the missing programs and the cause', { skip }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'node-programs-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const outcome = await ensureNodePrograms(join(folder, 'debian'), { PATH: '/nowhere' })
  assert.equal(outcome.kind, 'unavailable')
  assert.match(outcome.kind === 'unavailable' ? outcome.reason : '', /containerd, .*\(apt-get is missing\)$/)
})
