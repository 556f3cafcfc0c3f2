import { spawn } from 'node:child_process'
import { mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { Checkout } from '../setup/get-packages.ts'
import { type Cluster, findCluster, startCluster } from './cluster.ts'
import { type ClusterParts, ensureClusterParts, runningFolder, whyNoNodeHere } from './cluster-parts.ts'
import { ensurePrograms, missingPrograms } from './ensure-programs.ts'
import { CHART_PROGRAMS } from './recipes.ts'
import { removeAbandoned, removeCluster } from './remove-cluster.ts'

const USAGE = `node tools/cluster/main.ts …
  build [--background]  builds Kubernetes, etcd, CoreDNS, helm and kube-score, once (15 to 25 minutes)
  up                    starts a cluster of one node, which keeps running
  image FILE…           loads the images of OCI archives into the cluster
  kubectl ARGS…         runs kubectl against the cluster
  shell                 runs a shell in the cluster's network, with kubectl; starts and ends a cluster if none runs
  down                  ends the cluster and deletes its files`
const NAME = 'main'

/** Runs a command; returns the exit code. */
export async function runCommandLine(command: string, args: readonly string[], checkout: Checkout): Promise<number> {
  switch (command) {
    case 'build':
      if (args[0] !== '--background') return withParts(checkout, () => buildHelm(checkout))
      startInBackground(checkout)
      return 0
    case 'up':
      return withNode(checkout, async (parts) => {
        await startAndReport(checkout, parts)
        return 0
      })
    case 'image':
      return loadImages(args, checkout)
    case 'kubectl':
      return withCluster(checkout, (cluster, parts) => runAttached(cluster, parts, ['kubectl', ...args], checkout))
    case 'shell':
      return withNode(checkout, (parts) => shell(checkout, parts))
    case 'down':
      await removeCluster(join(runningFolder(checkout.root), NAME))
      await removeAbandoned(runningFolder(checkout.root))
      return 0
    default:
      checkout.say(USAGE)
      return command === 'help' ? 0 : 2
  }
}

async function loadImages(files: readonly string[], checkout: Checkout): Promise<number> {
  const missing = files.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
  for (const file of missing) checkout.say(`tools: the file ${file} does not exist`)
  if (missing.length > 0) return 1
  return withCluster(checkout, async (cluster) => {
    for (const file of files) await cluster.loadImage(file)
    return 0
  })
}

async function buildHelm(checkout: Checkout): Promise<number> {
  const outcome = await ensurePrograms(checkout, CHART_PROGRAMS)
  if (outcome.kind === 'ready') return 0
  checkout.say(`tools: the programs for chart tests are not available: ${outcome.reason}`)
  return 1
}

async function withParts(checkout: Checkout, act: (parts: ClusterParts) => Promise<number>): Promise<number> {
  const outcome = await ensureClusterParts(checkout)
  if (outcome.kind === 'ready') return act(outcome.parts)
  checkout.say(`tools: the test cluster is not available: ${outcome.reason}`)
  return 1
}

/** Checks that the machine can run a node before a build takes minutes. */
async function withNode(checkout: Checkout, act: (parts: ClusterParts) => Promise<number>): Promise<number> {
  const reason = whyNoNodeHere()
  if (reason === undefined) return withParts(checkout, act)
  checkout.say(`tools: the test cluster is not available: ${reason}`)
  return 1
}

function withCluster(
  checkout: Checkout,
  act: (cluster: Cluster, parts: ClusterParts) => Promise<number>,
): Promise<number> {
  return withParts(checkout, async (parts) => {
    const cluster = findCluster(join(runningFolder(checkout.root), NAME), parts)
    if (cluster !== undefined) return act(cluster, parts)
    checkout.say('tools: no cluster is running; start one with node tools/cluster/main.ts up')
    return 1
  })
}

async function startAndReport({ root, say }: Checkout, parts: ClusterParts): Promise<Cluster> {
  const began = performance.now()
  const cluster = await startCluster({ ...parts, folder: runningFolder(root), name: NAME })
  for (const { name, seconds } of cluster.phases) say(`tools: ${name}, ${seconds} s`)
  say(`tools: cluster ready, ${((performance.now() - began) / 1_000).toFixed(1)} s (logs: ${cluster.folder}/log)`)
  return cluster
}

async function shell(checkout: Checkout, parts: ClusterParts): Promise<number> {
  const running = findCluster(join(runningFolder(checkout.root), NAME), parts)
  const cluster = running ?? (await startAndReport(checkout, parts))
  checkout.say(
    `kubectl is here, pods and Services answer at their addresses; exit leaves${running ? '' : ' and ends the cluster'}`,
  )
  try {
    return await runAttached(cluster, parts, [checkout.environment.SHELL ?? '/bin/sh'], checkout)
  } finally {
    if (running === undefined) await cluster.close()
  }
}

/** Runs a program on this terminal; returns its exit code. */
function runAttached(
  { inside, kubeconfig }: Cluster,
  { bin }: ClusterParts,
  program: readonly string[],
  { environment }: Checkout,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const [command = '', ...args] = inside(program)
  const child = spawn(command, args, {
    stdio: 'inherit',
    env: { ...environment, PATH: `${bin}:${environment.PATH}`, KUBECONFIG: kubeconfig },
  })
  child.on('error', reject)
  child.on('close', (code) => resolve(code ?? 1))
  return promise
}

/**
 * Starts `main.ts build` as a process that outlives this process, when a program is missing. Of several such processes
 * only one builds.
 */
function startInBackground({ root, environment, say }: Checkout): void {
  const missing = missingPrograms(root)
  if (missing.length === 0) return
  const log = join(root, '.tools/kubernetes/background.log')
  mkdirSync(dirname(log), { recursive: true })
  const output = openSync(log, 'a')
  spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), 'build'], {
    env: environment,
    stdio: ['ignore', output, output],
    // A process group of its own: Ctrl-C ends the caller and not the build.
    detached: true,
  }).unref()
  say(`tools: building ${missing.join(', ')} in the background (${relative(root, log)})`)
}
