import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readAuditLog } from '@llm-gateway/test/fake/audit-log'
import { waitUntil } from '../setup/wait-until.ts'
import { apiRequest } from './api-request.ts'
import { type ApiServer, type ApiServerOptions, startApiServer } from './api-server.ts'
import { ensurePrograms, missingPrograms } from './ensure-programs.ts'

const ROOT = join(import.meta.dirname, '../..')
const NAMES = ['kubelite', 'etcd'] as const
const folder = mkdtempSync(join(tmpdir(), 'api-server-test-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const absent = missingPrograms(ROOT).filter((name) => NAMES.some((needed) => needed === name))
const skip =
  absent.length > 0 && process.env.CI !== 'true'
    ? `${absent.join(', ')} not built: node tools/cluster/main.ts build`
    : false

async function start(options: Partial<ApiServerOptions> = {}): Promise<ApiServer> {
  const programs = await ensurePrograms({ root: ROOT, environment: process.env, say: console.log }, NAMES)
  if (programs.kind === 'unavailable') assert.fail(programs.reason)
  const server = await startApiServer({ bin: programs.bin, folder, environment: process.env, ...options })
  // The server is ready before it has made its own namespaces.
  await waitUntil('namespace default', async () => (await server.kubectl(['get', 'namespace', 'default'])).code === 0)
  return server
}

test('an API server stores objects, writes an audit log and leaves no files or processes behind', {
  skip,
}, async () => {
  const began = performance.now()
  const server = await start({ audit: true })
  console.log(`api server ready in ${Math.round(performance.now() - began)} ms`)
  const pids = [server.apiServer.pid, server.etcd.pid]
  try {
    const version = await apiRequest(server, '/version')
    assert.match(JSON.parse(version.body).gitVersion, /^v1\.35\./)
    const made = await server.kubectl(['create', 'configmap', 'one', '--from-literal=a=b'])
    assert.equal(made.code, 0, made.stderr)
    const read = await server.kubectl(['get', 'configmap', 'one', '-o', 'jsonpath={.data.a}'])
    assert.equal(read.stdout, 'b')
    const audited = readAuditLog(server.auditLog).map((line) => JSON.parse(line))
    assert.equal(audited.filter(({ verb, objectRef }) => verb === 'create' && objectRef?.name === 'one').length, 1)
  } finally {
    await server.close()
  }
  assert.deepEqual(readdirSync(folder), [])
  for (const pid of pids) assert.ok(!existsSync(`/proc/${pid}`), `${pid} lives on`)
})

test('users and service accounts have exactly the rights that RBAC grants', { skip }, async () => {
  await using server = await start({ controllers: true })
  const user = await server.createUser('ann', ['readers'])
  const asUser = (...args: string[]) => server.kubectl([`--kubeconfig=${user}`, ...args])
  assert.match((await asUser('get', 'configmaps')).stderr, /User "ann" cannot list/)
  for (const args of [
    ['create', 'role', 'read', '--verb=list', '--resource=configmaps'],
    ['create', 'rolebinding', 'read', '--role=read', '--group=readers'],
    ['create', 'serviceaccount', 'robot'],
  ]) {
    const made = await server.kubectl(args)
    assert.equal(made.code, 0, made.stderr)
  }
  // New rights take effect a moment later.
  await waitUntil('the right', async () => (await asUser('get', 'configmaps')).code === 0)
  assert.match((await asUser('create', 'configmap', 'x')).stderr, /User "ann" cannot create/)
  const robot = await server.createServiceAccountKubeconfig('default', 'robot')
  const refused = await server.kubectl([`--kubeconfig=${robot}`, 'get', 'configmaps'])
  assert.match(refused.stderr, /system:serviceaccount:default:robot" cannot list/)
})

test('a killed server restarts on its port with its data, and a stopped server answers after it was resumed', {
  skip,
}, async () => {
  await using server = await start({ flags: ['--min-request-timeout=5'] })
  assert.equal((await server.kubectl(['create', 'configmap', 'kept'])).code, 0)
  const { pid } = server.apiServer
  await server.apiServer.kill('SIGKILL')
  assert.equal(server.apiServer.pid, 0)
  await assert.rejects(apiRequest(server, '/readyz'), /ECONNREFUSED/)
  await server.etcd.restart()
  await server.apiServer.start()
  assert.notEqual(server.apiServer.pid, pid)
  assert.equal((await server.kubectl(['get', 'configmap', 'kept'])).code, 0)

  await server.apiServer.kill('SIGSTOP')
  let answered = false
  const call = apiRequest(server, '/readyz').then((answer) => {
    answered = true
    return answer
  })
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.equal(answered, false)
  await server.apiServer.kill('SIGCONT')
  assert.equal((await call).status, 200)
})

test('after a compaction an old resourceVersion is gone', { skip }, async () => {
  await using server = await start({ flags: ['--watch-cache=false'] })
  const made = await server.kubectl(['create', 'configmap', 'one', '-o', 'jsonpath={.metadata.resourceVersion}'])
  assert.equal(made.code, 0, made.stderr)
  assert.equal((await server.kubectl(['create', 'configmap', 'two'])).code, 0)
  await server.compact()
  const path = `/api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=2&resourceVersion=1`
  assert.match((await apiRequest(server, path)).body, /"code":410/)
})
