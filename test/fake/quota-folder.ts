import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { btrfsEnvironment } from '../../tools/btrfs/btrfs-environment.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A folder with a quota: a write beyond the quota fails with EDQUOT. */
export type QuotaFolder = {
  readonly path: string
  /** Uses up the quota until `free`. */
  fill(): void
  free(): void
} & AsyncDisposable

/** The smallest file system of btrfs has 109 MiB. */
const DISK_BYTES = 256 * 1024 * 1024
const ROOT = join(import.meta.dirname, '../..')
const PIECE = Buffer.alloc(64 * 1024)

/** Makes a folder with a quota of at least 1 MiB on a btrfs of its own; undefined where btrfs can't be mounted. */
export async function quotaFolder(megabytes: number, own: NodeJS.ProcessEnv): Promise<QuotaFolder | undefined> {
  const environment = await btrfsEnvironment(ROOT, own)
  if (typeof environment === 'string') return undefined
  const folder = await temporaryFolder()
  const [image, disk] = [join(folder.path, 'image'), join(folder.path, 'disk')]
  const path = join(disk, 'limited')
  mkdirSync(disk)
  writeFileSync(image, '')
  truncateSync(image, DISK_BYTES)
  const isMounted = all(environment, [
    ['mkfs.btrfs', '-q', image],
    ['mount', '-o', 'loop', image, disk],
  ])
  const unmount = (): void => void spawnSync('umount', ['-l', disk])
  const remove = async (): Promise<void> => {
    unmount()
    await folder[Symbol.asyncDispose]()
  }
  const limit = [
    ['btrfs', 'subvolume', 'create', path],
    ['btrfs', 'quota', 'enable', disk],
    ['btrfs', 'qgroup', 'limit', `${megabytes}M`, path],
  ]
  if (!isMounted || !all(environment, limit)) {
    await remove()
    return undefined
  }
  process.once('exit', unmount)
  const filler = join(path, 'filler')
  return {
    path,
    fill: () => {
      const file = openSync(filler, 'a')
      try {
        writeUntilRefused(file)
      } finally {
        closeSync(file)
      }
      // Until then btrfs counts what it has reserved, which is more than what it writes.
      spawnSync('sync', ['-f', path])
    },
    free: () => {
      rmSync(filler, { force: true })
      spawnSync('sync', ['-f', path])
    },
    [Symbol.asyncDispose]: async () => {
      process.off('exit', unmount)
      await remove()
    },
  }
}

function all(environment: NodeJS.ProcessEnv, commands: readonly (readonly string[])[]): boolean {
  return commands.every(([program = '', ...args]) => spawnSync(program, args, { env: environment }).status === 0)
}

function writeUntilRefused(file: number): void {
  for (;;) {
    try {
      if (writeSync(file, PIECE) < PIECE.length) return
    } catch (error) {
      if (error instanceof Error && 'errno' in error) return
      throw error
    }
  }
}
