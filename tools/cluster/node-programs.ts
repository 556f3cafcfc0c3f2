import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findProgram } from '../setup/find-program.ts'
import { waitForFolderLock } from '../setup/folder-lock.ts'
import { unpackDebianPackages } from './debian-packages.ts'

/** The places of a node's programs: unpacked programs before the machine's own. */
export type NodePrograms = {
  /** The environment of all programs of the node: PATH and library folders. */
  readonly environment: Readonly<Record<string, string>>
  /** The folder of the CNI plugins. */
  readonly cni: string
}
export type NodeProgramsOutcome =
  | { readonly kind: 'ready'; readonly programs: NodePrograms }
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Debian packages of the programs that aren't built. */
const PACKAGES = ['containerd', 'runc', 'containernetworking-plugins', 'iptables', 'iproute2']
const NEEDED = ['containerd', 'containerd-shim-runc-v2', 'ctr', 'runc', 'iptables', 'ip', 'unshare', 'nsenter', 'mount']
const CNI_NEEDED = ['bridge', 'host-local', 'loopback', 'portmap']
const CNI_FOLDERS = ['/usr/lib/cni', '/opt/cni/bin', '/usr/libexec/cni']
/** Links that Debian makes when it installs the package. */
const IPTABLES = ['iptables', 'iptables-save', 'iptables-restore', 'ip6tables', 'ip6tables-save', 'ip6tables-restore']

/** Unpacks missing programs into `folder`; the reason names the program that can't be had. */
export async function ensureNodePrograms(folder: string, environment: NodeJS.ProcessEnv): Promise<NodeProgramsOutcome> {
  if (process.platform !== 'linux') return { kind: 'unavailable', reason: 'a Kubernetes node needs Linux' }
  const path = environment.PATH ?? ''
  const lock = await waitForFolderLock(folder)
  try {
    return await unpackRest(folder, path, environment)
  } finally {
    lock.release()
  }
}

async function unpackRest(folder: string, path: string, environment: NodeJS.ProcessEnv): Promise<NodeProgramsOutcome> {
  if (missing(locatePrograms(folder, path)).length === 0)
    return { kind: 'ready', programs: locatePrograms(folder, path) }
  const failed = await unpackDebianPackages({ packages: PACKAGES, folder, environment })
  linkIptables(folder)
  const found = locatePrograms(folder, path)
  const lacking = missing(found)
  if (lacking.length === 0) return { kind: 'ready', programs: found }
  const why = failed === undefined ? '' : ` (${failed})`
  return { kind: 'unavailable', reason: `${lacking.join(', ')} missing${why}` }
}

function locatePrograms(folder: string, path: string): NodePrograms {
  const own = ['alternatives', 'usr/bin', 'usr/sbin', 'bin', 'sbin'].map((name) => join(folder, name))
  const libraries = libraryFolders(folder)
  const cni = [join(folder, 'usr/lib/cni'), ...CNI_FOLDERS].find((name) => existsSync(join(name, 'bridge')))
  return {
    cni: cni ?? '/usr/lib/cni',
    environment: {
      PATH: [...own, path, '/usr/sbin', '/sbin'].join(delimiter),
      ...(libraries.length === 0
        ? {}
        : {
            LD_LIBRARY_PATH: libraries.join(delimiter),
            XTABLES_LIBDIR: libraries.map((name) => join(name, 'xtables')).join(delimiter),
          }),
    },
  }
}

function missing({ environment, cni }: NodePrograms): readonly string[] {
  return [
    ...NEEDED.filter((name) => findProgram(name, environment.PATH ?? '') === undefined),
    ...CNI_NEEDED.filter((name) => !existsSync(join(cni, name))).map((name) => `CNI's ${name}`),
  ]
}

function libraryFolders(folder: string): readonly string[] {
  const parent = join(folder, 'usr/lib')
  if (!existsSync(parent)) return []
  return readdirSync(parent)
    .filter((name) => name.includes('-linux-gnu'))
    .map((name) => join(parent, name))
}

function linkIptables(folder: string): void {
  if (!existsSync(join(folder, 'usr/sbin/xtables-nft-multi'))) return
  mkdirSync(join(folder, 'alternatives'), { recursive: true })
  for (const name of IPTABLES) symlinkSync('../usr/sbin/xtables-nft-multi', join(folder, 'alternatives', name))
}
