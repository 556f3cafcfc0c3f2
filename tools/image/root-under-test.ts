import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Program, startProgram } from '@llm-gateway/test/fake/program'
import { platformOf } from './parts/platform.ts'

export type ImageConfig = {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly WorkingDir: string
}

/** An unpacked image. Its programs run as its user, with a read-only root and a writable /tmp. */
export type ImageRoot = {
  readonly folder: string
  readonly config: ImageConfig
  /** Paths of all entries of all layers; directories end with a slash. */
  readonly paths: readonly string[]
  /** Runs the entrypoint with arguments; `configuration` is mounted at /etc/llm-gateway. */
  start(args: readonly string[], options?: RunOptions): Promise<Program>
}
export type RunOptions = {
  readonly configuration?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly entrypoint?: readonly string[]
}

/** Mount points of container runtimes. */
const MOUNT_POINTS = ['proc', 'dev', 'etc/llm-gateway'] as const

const UNSHARE = 'unshare'

/** Each step replaces the process, so that a test's signals reach the program. The mounts end with the process. */
const ENTER = `set -e
root=$1 configuration=$2 user=$3 folder=$4
shift 4
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
[ -z "$configuration" ] || mount --bind -o ro "$configuration" "$root/etc/llm-gateway"
exec unshare --root="$root" --wd="$folder" --setuid="\${user%:*}" --setgid="\${user#*:}" "$@"`

/** Returns the reason why an image can't be run on this machine; undefined when it can. */
export function whyNoRoot(): string | undefined {
  if (process.platform !== 'linux') return 'an image of Linux runs on Linux'
  const { status } = spawnSync(UNSHARE, ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'])
  return status === 0 ? undefined : 'running an image needs the right to mount, which root has'
}

/** Unpacks an archive's image into a folder, layer over layer, like a container engine. */
export function unpackImage(archive: string, folder: string): ImageRoot {
  const packed = join(folder, 'archive')
  const root = join(folder, 'root')
  for (const path of [packed, root]) mkdirSync(path, { recursive: true })
  execFileSync('tar', ['-xf', archive, '-C', packed])
  const read = (path: string) => JSON.parse(readFileSync(join(packed, path), 'utf8'))
  const blob = (digest: string) => `blobs/${digest.replace(':', '/')}`
  const [first] = read('index.json').manifests
  const content = read(blob(first.digest))
  const manifest = 'layers' in content ? content : read(blob(ownManifest(content.manifests).digest))
  const { config } = read(blob(manifest.config.digest))
  const paths = manifest.layers.flatMap(({ digest }: { readonly digest: string }) => {
    const list = execFileSync('tar', ['-xpvf', join(packed, blob(digest)), '-C', root], { encoding: 'utf8' })
    return list.trimEnd().split('\n')
  })
  for (const path of MOUNT_POINTS) mkdirSync(join(root, path), { recursive: true })
  return { folder: root, config, paths, start: (args, options = {}) => start(root, config, args, options) }
}

type PlatformManifest = { readonly digest: string; readonly platform: { readonly architecture: string } }

function ownManifest(manifests: readonly PlatformManifest[]): PlatformManifest {
  const own = manifests.find(({ platform }) => platform.architecture === platformOf(process.arch)?.architecture)
  if (own === undefined) throw new Error('the archive has no image for this processor')
  return own
}

function start(root: string, config: ImageConfig, args: readonly string[], options: RunOptions): Promise<Program> {
  const { configuration = '', environment = {}, entrypoint = config.Entrypoint } = options
  const enter = ['-c', ENTER, 'enter', root, configuration, config.User, config.WorkingDir]
  return startProgram({
    command: UNSHARE,
    args: ['--mount', 'sh', ...enter, ...entrypoint, ...args],
    environment: { ...Object.fromEntries(config.Env.map((pair) => pair.split('='))), ...environment },
  })
}
