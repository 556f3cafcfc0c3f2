import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ensurePrograms, missingPrograms, programsFolder } from './ensure-programs.ts'

test('without Go no program is built, the reason says so, and a later build may try again', async (context) => {
  const root = mkdtempSync(join(tmpdir(), 'ensure-programs-'))
  context.after(() => rmSync(root, { recursive: true, force: true }))
  assert.deepEqual(missingPrograms(root), ['kubelite', 'etcd', 'coredns', 'pause', 'helm', 'helm3', 'kube-score'])
  assert.deepEqual(missingPrograms(root, ['helm', 'etcd']), ['etcd', 'helm'])
  const outputLines: string[] = []
  const checkout = { root, environment: { PATH: '/nowhere' }, say: (line: string) => outputLines.push(line) }
  for (const _ of ['once', 'twice']) {
    const outcome = await ensurePrograms(checkout, ['pause'])
    assert.deepEqual(outcome, { kind: 'unavailable', reason: 'pause: go is missing' })
  }
  assert.match(outputLines[0] ?? '', /^tools: building pause \(\.tools\/kubernetes\/[\d.]+\/log\/build-pause\.log\)$/)
  assert.deepEqual(readdirSync(programsFolder(root)), [])
  assert.ok(!existsSync(join(programsFolder(root), '../lock')))
})
