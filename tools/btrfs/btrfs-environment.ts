import { globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ensureDebianPrograms } from '../cluster/debian-programs.ts'

/** A file of the package in every release of Debian; the folders of its programs differ. */
const WITNESS = 'usr/share/doc/btrfs-progs/copyright'

/**
 * Unpacks Debian's programs of btrfs into `.tools/btrfs`; returns an environment in which `btrfs` and `mkfs.btrfs` are
 * found, or the reason, as a text, when that fails.
 */
export async function btrfsEnvironment(
  root: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | NodeJS.ProcessEnv> {
  const folder = join(root, '.tools/btrfs')
  const reason = await ensureDebianPrograms({ folder, packages: ['btrfs-progs'], programs: [WITNESS], environment })
  if (reason !== undefined) return reason
  const inFolder = (pattern: string): readonly string[] =>
    globSync(pattern, { cwd: folder }).map((name) => join(folder, name))
  return {
    ...environment,
    PATH: [...inFolder('{,usr/}{bin,sbin}'), environment.PATH ?? ''].join(delimiter),
    LD_LIBRARY_PATH: inFolder('{,usr/}lib/*-linux-gnu').join(delimiter),
  }
}
