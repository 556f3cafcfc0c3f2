import { spawnSync } from 'node:child_process'
import { temporaryFolder } from './temporary-folder.ts'

export type MountedFolder = { readonly path: string; remount(options: string): void } & AsyncDisposable

/** Mounts a file system in memory with options such as `size=8m`; undefined if this process may not mount. */
export async function mountedFolder(options: string): Promise<MountedFolder | undefined> {
  const folder = await temporaryFolder()
  const mount = (text: string): boolean =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', text, 'tmpfs', folder.path]).status === 0
  if (process.platform !== 'linux' || !mount(options)) {
    await folder[Symbol.asyncDispose]()
    return undefined
  }
  const unmount = (): void => void spawnSync('umount', ['-l', folder.path])
  process.once('exit', unmount)
  return {
    path: folder.path,
    remount: (text) => {
      if (!mount(`remount,${text}`)) throw new Error(`remount ${text}`)
    },
    [Symbol.asyncDispose]: async () => {
      process.off('exit', unmount)
      unmount()
      await folder[Symbol.asyncDispose]()
    },
  }
}
