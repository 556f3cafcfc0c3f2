import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'

const SCENARIO = join(import.meta.dirname, 'container-start-under-test.ts')
/** The address of Azure's metadata service belongs to the new network's loopback. */
const ENTER = 'ip link set lo up && ip addr add 169.254.169.254/32 dev lo && exec "$@"'
const NAMESPACE = ['--net', 'sh', '-c', ENTER, 'sh']
const isAble = spawnSync('unshare', [...NAMESPACE, 'true']).status === 0

test('what the template starts serves on shares of Azure Files, empty ones and those of an earlier version', {
  skip: isAble ? false : 'a network of its own needs Linux and root',
}, async () => {
  await using folder = await temporaryFolder()
  chmodSync(folder.path, 0o755)
  const library = join(folder.path, 'share.so')
  execFileSync('cc', ['-shared', '-fPIC', '-o', library, join(import.meta.dirname, 'fixture/share.c'), '-ldl'])
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env
  const args = [...NAMESPACE, process.execPath, '--test-reporter=spec', SCENARIO, library]
  const { status, stdout, stderr } = spawnSync('unshare', args, { encoding: 'utf8', env: environment })
  assert.equal(status, 0, `${stdout}\n${stderr}`)
  assert.match(stdout, /^ℹ pass 2$/m)
})
