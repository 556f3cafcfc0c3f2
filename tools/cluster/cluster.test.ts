import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { waitUntil } from '../setup/wait-until.ts'
import { cgroupFolders } from './cgroup.ts'
import { startCluster } from './cluster.ts'
import { ensureClusterParts, whyNoCluster } from './cluster-parts.ts'
import { PAUSE_IMAGE } from './node-plan.ts'
import { cgroupOf } from './remove-cluster.ts'

const ROOT = join(import.meta.dirname, '../..')
const reason = whyNoCluster(ROOT)
const skip = reason !== undefined && process.env.CI !== 'true' ? reason : false
/** Starts a cluster and runs until it is killed. */
const STARTER = `
  const { startCluster } = await import(process.argv[1])
  const { folder } = await startCluster(JSON.parse(process.argv[2]))
  console.log(folder)
  setInterval(() => {}, 1e6)`
/** Paths to which a node's programs write by default. */
const SYSTEM = ['/run/netns', '/run/containerd', '/var/lib/cni', '/var/lib/kubelet', '/var/lib/containerd']
const MORE = ['/opt/containerd', '/var/log/pods', '/var/log/containers', '/etc/cni', '/sys/class/net/cni0']
const TUNABLES = ['vm/overcommit_memory', 'kernel/panic', 'kernel/panic_on_oops', 'net/ipv4/ip_forward']

test('a cluster runs pods, removes a killed cluster and leaves no files or processes behind', {
  skip,
}, async (context) => {
  const outcome = await ensureClusterParts({ root: ROOT, environment: process.env, say: console.log })
  if (outcome.kind === 'unavailable') {
    assert.notEqual(process.env.CI, 'true', outcome.reason)
    return context.skip(outcome.reason)
  }
  const folder = mkdtempSync(join(ROOT, '.tools/kubernetes/test-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const options = { ...outcome.parts, folder }
  const before = machine()

  const starter = spawn(
    process.execPath,
    ['--input-type=module', '-e', STARTER, join(import.meta.dirname, 'cluster.ts'), JSON.stringify(options)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = await once(starter.stdout, 'data')
  const predecessor = String(line).trim()
  assert.ok(processesOf(predecessor).length > 5)
  starter.kill('SIGKILL')
  await waitUntil(
    'the kernel has ended the cluster of a killed process',
    async () => processesOf(predecessor).length === 0,
  )
  assert.notDeepEqual(cgroupFolders(cgroupOf(predecessor)), [])

  const cluster = await startCluster(options)
  try {
    for (const { name, seconds } of cluster.phases) console.log(`${name}: ${seconds} s`)
    assert.ok(!existsSync(predecessor))
    assert.deepEqual(cgroupFolders(cgroupOf(predecessor)), [])
    // The cluster's changes to network and kernel stay in its namespaces.
    assert.deepEqual(machine().tunables, before.tunables)

    const pod = { metadata: { name: 'one' }, spec: { containers: [{ name: 'one', image: PAUSE_IMAGE }] } }
    const made = await cluster.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...pod }))
    assert.equal(made.code, 0, made.stderr)
    const began = performance.now()
    const ready = await cluster.kubectl(['wait', '--for=condition=Ready', 'pod/one', '--timeout=110s'])
    assert.equal(ready.code, 0, ready.stderr)
    console.log(`pod ready: ${Math.round(performance.now() - began)} ms`)

    const address = await cluster.kubectl(['get', 'pod', 'one', '-o', 'jsonpath={.status.podIP}'])
    const pid = processWithAddress(address.stdout)
    const lookup = `
      const dns = new (require('node:dns/promises').Resolver)()
      dns.setServers(['10.96.0.10'])
      dns.resolve4('kubernetes.default.svc.cluster.local').then(console.log)`
    // Looks up like the pod: through the Service's address to another pod on the same bridge.
    const found = await cluster.exec(['nsenter', `--target=${pid}`, '--net', process.execPath, '-e', lookup])
    assert.equal(found.stdout.trim(), "[ '10.96.0.1' ]", found.stderr)
    const logs = await cluster.kubectl(['logs', '-n', 'kube-system', 'deployment/coredns'])
    assert.match(logs.stdout, /CoreDNS-1\./)
  } finally {
    await cluster.close()
  }
  assert.deepEqual(processesOf(folder), [])
  assert.deepEqual(cgroupFolders(cgroupOf(cluster.folder)), [])
  assert.deepEqual(readdirSync(folder), [])
  assert.deepEqual(machine(), before)
})

/** Returns the state of this machine that a cluster might change. */
function machine() {
  const ours = (mount: string) => mount.includes('kube') || mount.includes('netns') || mount.includes('containerd')
  return {
    mounts: readFileSync('/proc/mounts', 'utf8').split('\n').filter(ours),
    present: [...SYSTEM, ...MORE].filter((path) => existsSync(path)),
    tunables: TUNABLES.map((name) => readFileSync(join('/proc/sys', name), 'utf8').trim()),
  }
}

/** Returns the processes with the folder in their command line. */
function processesOf(folder: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((pid) => commandLine(pid).includes(`${folder}/`))
}

function commandLine(pid: string): string {
  return readIfThere(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
}

/** Returns the pause container's process of the pod with this address. */
function processWithAddress(address: string): string {
  const pids = readdirSync('/proc').filter((pid) => commandLine(pid).startsWith('/pause'))
  const pid = pids.find((candidate) => readIfThere(`/proc/${candidate}/net/fib_trie`).includes(`-- ${address}\n`))
  assert.ok(pid !== undefined, `no process has the address ${address}`)
  return pid
}

/** Reads a file; empty when its process is gone. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    assert.ok(error instanceof Error)
    return ''
  }
}
