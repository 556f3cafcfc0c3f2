import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { aptGet, unpackArchive } from './apt-get.ts'
import { emptyFolder } from './empty-folder.ts'

/**
 * Downloads Debian's package, without its dependencies, and unpacks it into the folder, which is emptied before. Returns
 * the reason when that failed.
 */
export async function unpackDebianPackage(
  name: string,
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const place = { folder: emptyFolder(folder), environment }
  const refused = await aptGet(['download', name], place)
  if (refused !== undefined) return refused
  const archive = readdirSync(folder).find((file) => file.endsWith('.deb'))
  if (archive === undefined) return 'apt-get downloaded no package'
  const broken = await unpackArchive(archive, place)
  rmSync(join(folder, archive))
  return broken
}
