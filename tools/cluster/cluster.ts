import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitUntil } from '../setup/wait-until.ts'
import { makeCgroup } from './cgroup.ts'
import { type CommandInput, type CommandResult, execute } from './execute.ts'
import { firstProcessInside, launchInNamespaces } from './namespaces.ts'
import { containerdSocket, NODE_ADDRESS, type NodePlan, type NodeReady, type Phase } from './node-plan.ts'
import type { NodePrograms } from './node-programs.ts'
import { makeOwnFolder, readOwner, setOwner, startTime, takeFolder } from './own-folder.ts'
import { runOrThrow } from './own-machine.ts'
import { cgroupOf, removeAbandoned, removeCluster } from './remove-cluster.ts'

export type ClusterOptions = {
  /** The folder of the built programs. */
  readonly bin: string
  readonly programs: NodePrograms
  /** The parent of the cluster's own folder; folders of killed predecessors are removed. */
  readonly folder: string
  /** The name by which the cluster is found again; a named cluster keeps running after this process. */
  readonly name?: string
  readonly audit?: boolean
}

/** A Kubernetes node in namespaces of its own: it runs pods, and its network has no way out. Needs root. */
export type Cluster = {
  /** The path of the administrator's kubeconfig, valid inside the cluster's network. */
  readonly kubeconfig: string
  readonly nodeAddress: string
  /** The folder of the cluster's files and of its programs' logs (`log/`). */
  readonly folder: string
  /** The durations of the parts of the start. */
  readonly phases: readonly Phase[]
  /** Returns the command line that runs a program in the cluster's network, for callers that spawn it themselves. */
  inside(argv: readonly string[]): readonly string[]
  /** Runs a program in the cluster's network with its KUBECONFIG; never rejects. */
  exec(argv: readonly string[], options?: CommandInput): Promise<CommandResult>
  /** Runs kubectl as administrator; never rejects. */
  kubectl(args: readonly string[], input?: string): Promise<CommandResult>
  /** Imports the images of an OCI archive into the node. */
  loadImage(file: string): Promise<void>
  /** Ends the cluster and removes its files. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const START_MS = 300_000
const LOG_END = 3_000

/** Starts a node with DNS; resolves when pods can run. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  await removeAbandoned(options.folder)
  const folder = await clusterFolder(options)
  mkdirSync(join(folder, 'log'), { recursive: true })
  const plan: NodePlan = {
    folder,
    bin: options.bin,
    programs: options.programs,
    audit: options.audit ?? false,
    cgroup: `/${cgroupOf(folder)}`,
  }
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan))
  const log = join(folder, 'log/node.log')
  try {
    makeCgroup(cgroupOf(folder))
    const pid = launchInNamespaces({
      argv: [process.execPath, join(import.meta.dirname, 'main.ts'), 'inside', folder],
      log,
      environment: options.programs.environment,
      outlives: options.name !== undefined,
    })
    setOwner(folder, pid)
    await waitUntil('the cluster is ready', async () => isReady(folder, pid), START_MS)
  } catch (cause) {
    const logText = existsSync(log) ? readFileSync(log, 'utf8').slice(-LOG_END) : ''
    await removeCluster(folder)
    throw new Error(`no cluster: ${logText}`, { cause })
  }
  return openCluster(folder, options)
}

/** Finds a running cluster; undefined when it doesn't run. */
export function findCluster(folder: string, options: Pick<ClusterOptions, 'bin' | 'programs'>): Cluster | undefined {
  const owner = readOwner(folder)
  const runs = owner !== undefined && existsSync(join(folder, 'ready.json')) && startTime(owner.pid) === owner.started
  return runs ? openCluster(folder, options) : undefined
}

/**
 * Wraps an existing cluster of a person, which is never changed. Its images are loaded by other means (`kind load
 * image-archive FILE`).
 */
export function existingCluster(kubeconfig: string, environment: NodeJS.ProcessEnv): Cluster {
  const exec = (argv: readonly string[], { environment: more, ...rest }: CommandInput = {}) =>
    execute(argv, { ...rest, environment: { ...environment, KUBECONFIG: kubeconfig, ...more } })
  const close = async () => undefined
  return {
    kubeconfig,
    nodeAddress: '',
    folder: '',
    phases: [],
    inside: (argv) => argv,
    exec,
    kubectl: (args, input = '') => exec(['kubectl', ...args], { input }),
    loadImage: async () => undefined,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function openCluster(folder: string, { bin, programs }: Pick<ClusterOptions, 'bin' | 'programs'>): Cluster {
  const ready: NodeReady = JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8'))
  const first = firstProcessInside(readOwner(folder)?.pid ?? 0)
  if (first === undefined) throw new Error('the cluster has ended')
  const kubeconfig = join(folder, 'kubeconfig')
  const inside = (argv: readonly string[]) => ['nsenter', `--target=${first}`, '--net', '--', ...argv]
  const exec = (argv: readonly string[], { environment, ...rest }: CommandInput = {}) =>
    execute(inside(argv), {
      ...rest,
      // Without HOME kubectl keeps its cache in the working directory.
      environment: {
        PATH: `${bin}:${programs.environment.PATH}`,
        KUBECONFIG: kubeconfig,
        HOME: folder,
        ...environment,
      },
    })
  const close = () => removeCluster(folder)
  return {
    kubeconfig,
    nodeAddress: NODE_ADDRESS,
    folder,
    phases: ready.phases,
    inside,
    exec,
    kubectl: (args, input = '') => exec([join(bin, 'kubectl'), ...args], { input }),
    loadImage: async (file) => {
      const where = ['-a', containerdSocket(folder), '-n', 'k8s.io']
      await runOrThrow('ctr', [...where, 'images', 'import', file], { environment: { ...programs.environment } })
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function clusterFolder({ folder, name }: ClusterOptions): Promise<string> {
  if (name === undefined) return makeOwnFolder(folder, 'cluster')
  await removeCluster(join(folder, name))
  return takeFolder(folder, name)
}

async function isReady(folder: string, pid: number): Promise<boolean> {
  if (existsSync(join(folder, 'ready.json'))) return true
  if (startTime(pid) === undefined) throw new Error('the process ended')
  return false
}
