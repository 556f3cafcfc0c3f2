import { spawnSync } from 'node:child_process'
import { temporaryFolder } from './temporary-folder.ts'

/** A file system in memory, of its own size. */
export type SmallDisk = AsyncDisposable & { readonly path: string; remount(options: string): void }

/** `options` are tmpfs's, such as `size=8m`; undefined where this process may not mount. */
export async function smallDisk(options: string): Promise<SmallDisk | undefined> {
  const folder = await temporaryFolder()
  const mount = (text: string): boolean =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', text, 'tmpfs', folder.path]).status === 0
  if (process.platform !== 'linux' || !mount(options)) {
    await folder[Symbol.asyncDispose]()
    return undefined
  }
  return {
    path: folder.path,
    remount: (text) => {
      if (!mount(`remount,${text}`)) throw new Error(`remount ${text}`)
    },
    [Symbol.asyncDispose]: async () => {
      spawnSync('umount', ['-l', folder.path])
      await folder[Symbol.asyncDispose]()
    },
  }
}
