import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { previousCheckout, whyNoPrevious } from '../../tools/previous/previous-checkout.ts'

const ROOT = join(import.meta.dirname, '../..')
const PROGRAM = join(import.meta.dirname, 'gateway-files.ts')

/** Keys that the previous version doesn't know: it names them in one WARN and ignores them. */
const NEW_KEYS = ['gl_config.record', 'gl_config.spool']

type Verdict = { readonly name: string; readonly isValid: boolean; readonly logEntries: readonly object[] }

suite('operator and gateway of two versions', { skip: whyNoPrevious(ROOT), timeout: 600_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'upgrade-'))
  let previous = ''
  before(async () => {
    const checkout = await previousCheckout(ROOT, process.env)
    assert.ok(checkout.kind === 'ready', JSON.stringify(checkout))
    previous = checkout.folder
  })
  after(() => rmSync(folder, { recursive: true }))
  const run = (checkout: string, task: string, files: string): string =>
    execFileSync(process.execPath, [PROGRAM, checkout, task, files], { encoding: 'utf8', maxBuffer: 2 ** 28 })
  const verdicts = (checkout: string, files: string): readonly Verdict[] =>
    run(checkout, 'validate', files)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

  for (const { name, writer } of [
    { name: "the previous gateway accepts today's files just as today's gateway does", writer: 'today' },
    { name: "today's gateway accepts the previous files just as the previous gateway does", writer: 'previous' },
  ])
    test(name, () => {
      const files = join(folder, writer)
      run(writer === 'today' ? ROOT : previous, 'write', files)
      const old = verdicts(previous, files).map(comparable)
      const today = verdicts(ROOT, files).map(comparable)
      assert.ok(old.filter(({ isValid }) => isValid).length > 60, 'some files are valid')
      assert.deepEqual(old, today)
    })
})

/** Removes the WARN of new keys, and the name of the missing file that was found first. */
function comparable(verdict: Verdict): Verdict {
  const isOfNewKeys = (line: object): boolean =>
    'unknown_keys' in line && JSON.stringify(line.unknown_keys) === JSON.stringify(NEW_KEYS)
  const logEntries = verdict.logEntries
    .filter((line) => !isOfNewKeys(line))
    .map((line) => ('file' in line ? { ...line, file: '', field: '' } : line))
  return { ...verdict, logEntries }
}
