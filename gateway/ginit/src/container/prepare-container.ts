import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, makeFolder } from '@llm-gateway/conf'
import { fillFolder } from './fill-folder.ts'

export type ContainerFolders = {
  /** `/`, below which `app/conf`, `app/log` and `app/state` may be mounts. */
  readonly root: string
  /** The image's folder with the programs, or a checkout. */
  readonly programs: string
  /** Names of sets of files, such as `azure`. A missing file is copied from a set; if no set has it, from the defaults. */
  readonly sets: readonly string[]
}

/**
 * Prepares a container's folders and returns the working folder. Returns undefined, after an ERROR line, where missing
 * configuration can't be written, or a set is unknown.
 * Files refer to each other by `./app/conf`, `./app/log`, `./app/bus` and `./app/spool`. The working folder has the
 * first two as links, so that bus and spool, which need locks and fast writes, aren't on a share.
 */
export async function prepareContainer(places: ContainerFolders, logger: Logger): Promise<string | undefined> {
  const { root, sets } = places
  const conf = join(root, 'app/conf')
  const sources = sourcesOf(places)
  const unknown = sets.find((_, index) => !existsSync(sources[index + 1] ?? ''))
  if (unknown !== undefined) {
    logger.error({ set: unknown }, 'set of configuration files does not exist')
    return undefined
  }
  try {
    const added = await fillFolder(conf, sources)
    if (added.length > 0) logger.info({ folder: conf, added }, 'shipped configuration files added')
  } catch (error) {
    logger.error({ folder: conf, code: codeOf(error) }, 'configuration files are missing and cannot be written')
    return undefined
  }
  return await workingFolder(root, conf, logger)
}

/** Returns the folders of shipped files; an image has them in a separate folder, since a mounted share hides `conf`. */
function sourcesOf({ programs, sets }: ContainerFolders): readonly string[] {
  const aside = join(programs, 'shipped')
  const isImage = existsSync(aside)
  const ofSet = (name: string) => (isImage ? join(aside, 'with', name) : join(programs, 'conf/examples', name))
  return [isImage ? aside : join(programs, 'conf'), ...sets.map(ofSet)]
}

const LOGS_IN_STATE = 'log folder is not writable; log files are written below the state folder'
const LOGS_LOST = 'log folder is not writable; log files are lost with the container'

async function workingFolder(root: string, conf: string, logger: Logger): Promise<string | undefined> {
  const kept = join(root, 'app/state')
  const isKept = await canWrite(kept)
  const state = isKept ? kept : join(tmpdir(), 'llm-gateway')
  if (!isKept)
    logger.warn({ folder: kept }, 'state folder is not writable; records on the bus are lost with the container')
  const work = join(state, 'work')
  const log = join(root, 'app/log')
  try {
    await makeFolder(join(work, 'app'))
    await replaceLink(join(work, 'app/conf'), conf, logger)
    if (await canWrite(log)) await replaceLink(join(work, 'app/log'), log, logger)
    else {
      logger.warn({ folder: log }, isKept ? LOGS_IN_STATE : LOGS_LOST)
      await unlink(join(work, 'app/log')).catch(() => undefined) // Usually there is no link.
      await makeFolder(join(work, 'app/log'))
    }
    return work
  } catch (error) {
    logger.error({ folder: work, code: codeOf(error) }, 'working folder could not be created')
    return undefined
  }
}

/** Tests a folder by writing to it: the modes of a share don't show who may write. */
async function canWrite(folder: string): Promise<boolean> {
  const probe = join(folder, `.probe-${randomBytes(6).toString('hex')}`)
  try {
    await makeFolder(folder)
    await writeFile(probe, '', { flag: 'wx' })
    await rm(probe)
    return true
  } catch {
    return false // The caller logs a WARN and uses another folder.
  }
}

/**
 * Replaces a link. A folder in its place holds files of a start without the target, and is moved aside. Only the newest
 * such folder is kept: a share that is often missing would fill the disk.
 */
async function replaceLink(path: string, target: string, logger: Logger): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isDirectory() === true) {
    const moved = `${path}-aside`
    await rm(moved, { recursive: true, force: true })
    await rename(path, moved)
    logger.warn({ folder: path, moved }, 'folder of an earlier start was moved aside')
  }
  await rm(path, { force: true })
  await symlink(target, path)
}

function codeOf(error: unknown): unknown {
  if (error instanceof Error && 'code' in error) return error.code
  throw error
}
