import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startGatewayProcess } from '@llm-gateway/test/fake/gateway'

test('the replaced process has its pid, its flags, its output and its exit code', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'llm-gateway-profile-'))
  await using gateway = await startGatewayProcess({ nodeArguments: ['--cpu-prof', `--cpu-prof-dir=${directory}`] })
  assert.equal((await fetch(`${gateway.url}/echo/`)).status, 200)
  gateway.kill('SIGTERM')
  assert.deepEqual(await gateway.exited, { code: 0, signal: null })
  for (const line of gateway.lines.entries) assert.doesNotThrow(() => JSON.parse(line), line)
  // The names of profiles: CPU.<day>.<time>.<pid>.<thread>.<number>.cpuprofile.
  const profiles = await readdir(directory)
  // On a slow machine the replaced process has left a profile too.
  assert.deepEqual([...new Set(profiles.map((name) => Number(name.split('.')[3])))], [gateway.pid])
  await rm(directory, { recursive: true })
})
