import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { whyNoHelm } from '../helm/helm.ts'
import { cloneUnderTest } from '../release/clone-under-test.ts'

// Rules: docs/operations/releases.md#how-to-make-a-release

const ROOT = join(import.meta.dirname, '../..')
const VERSION = '7.8.9-rc.2'
/** Tests that read a version or a file that contains one, without those that start servers. */
const READERS = [
  'tools/version/version-copies.test.ts',
  'tools/helm/*.test.ts',
  'tools/image/{dockerfile,command-line,contents}.test.ts',
  'test/chart/rendered.test.ts',
  'test/operator-files.test.ts',
  'crds/src/definitions.test.ts',
  'operator/src/translate/translate.test.ts',
  'operator/src/commands/render/{examples,render}.test.ts',
  'charts/dashboards/*.test.ts',
  'deploy/azure/templates.test.ts',
  'docs/{,generate/}!(commands).test.ts',
]
const TIMEOUT_MS = 300_000

suite('a new version', { skip: whyNoHelm(ROOT) ?? false, timeout: TIMEOUT_MS }, () => {
  const scratch = mkdtempSync(join(tmpdir(), 'new-version-'))
  const copy = join(scratch, 'copy')
  const node = (...args: readonly string[]) => {
    // With NODE_TEST_CONTEXT the runner would report to a parent runner instead of to stdout.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    return spawnSync(process.execPath, args, { cwd: copy, env, encoding: 'utf8', timeout: TIMEOUT_MS })
  }
  before(() => cloneUnderTest({ root: ROOT, folder: copy, files: new Map() }))
  after(() => rmSync(scratch, { recursive: true, force: true }))

  for (const wrong of ['', '1.2', 'v1.2.3', '1.2.3+b', '../1.2.3'])
    test(`${JSON.stringify(wrong)} is no version, and nothing is written`, () => {
      const { status, stderr } = node('tools/version/main.ts', wrong)
      assert.deepEqual([status, stderr.split('\n')[0]], [2, 'make version VERSION=1.2.3'])
      assert.equal(changed(), '')
    })

  test('is written by one command, and the tests that read the version pass unchanged', () => {
    const { status, stderr } = node('tools/version/main.ts', VERSION)
    assert.equal(status, 0, stderr)
    assert.ok(changed().split('\n').length > 50)
    const { stdout } = node('--test', '--test-reporter=tap', ...READERS)
    const count = (outcome: string) => Number(new RegExp(`^# ${outcome} (\\d+)$`, 'm').exec(stdout)?.[1])
    assert.deepEqual([count('fail'), count('cancelled')], [0, 0], stdout.match(/^ *not ok .*$/gm)?.join('\n'))
    assert.ok(count('pass') > 500, stdout)
  })

  function changed(): string {
    return spawnSync('git', ['status', '--porcelain'], { cwd: copy, encoding: 'utf8' }).stdout
  }
})
