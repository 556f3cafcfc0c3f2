import { copyFileSync, existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorCode } from '@llm-gateway/conf/failure'
import { findUnwritableFolders, type UnwritableFolder } from '../setup/unwritable-folder.ts'

export type RunFolders = {
  readonly kind: 'found'
  /** The folder of the secrets, the process ids and the hashes of shipped files. */
  readonly base: string
  /** The working directory of the services, with `app/conf`, `app/log`, `app/bus` and `app/spool`. */
  readonly working: string
  /** True: `app/conf` can't be written, and its files are used as they are. */
  readonly keepsConfiguration: boolean
  /** Lines for the console about folders that can't be written. */
  readonly notes: readonly string[]
}

/** Neither the folder of the run nor a temporary folder can be written. */
type NoFolders = { readonly kind: 'none'; readonly why: string }

const FOLDERS = ['conf', 'log', 'bus', 'spool'] as const

/**
 * Returns the folders of a run. Full folders and a read-only configuration are used with the files that are there; a
 * temporary folder takes the place of all others that can't be written.
 */
export function findRunFolders(folder: string, shown: (path: string) => string): RunFolders | NoFolders {
  const [conf = '', log = '', bus = '', spool = ''] = FOLDERS.map((name) => join(folder, 'app', name))
  const probed = [folder, conf, log, bus]
  // A missing spool is made by the gateway, with its own permissions.
  const blocked = findUnwritableFolders(existsSync(spool) ? [...probed, spool] : probed)
  const isConfigured = existsSync(join(conf, 'ginit_config.json'))
  const isComplete = isConfigured && existsSync(join(folder, 'env'))
  const isKept = (one: UnwritableFolder): boolean => {
    if (one.folder === conf) return isConfigured
    // Without an empty file in its store, nats-server doesn't start.
    return one.isFull && (one.folder === folder ? isComplete : one.folder !== bus || one.takesEmptyFiles)
  }
  const [kept, replaced] = [blocked.filter(isKept), blocked.filter((entry) => !isKept(entry))]
  const keepsConfiguration = kept.some((entry) => entry.folder === conf)
  const notes = keptNotes(kept, shown)
  if (replaced.length === 0) return { kind: 'found', base: folder, working: folder, keepsConfiguration, notes }
  try {
    const { base, working } = makeStandIn(folder, new Set(replaced.map((entry) => entry.folder)))
    const note = standInNote({ working, base, replaced: listOf(replaced, shown), isConfigured })
    return { kind: 'found', base, working, keepsConfiguration, notes: [note, ...notes] }
  } catch (error) {
    const code = errorCode(error)
    if (code === 'UNKNOWN') throw error
    const why = `${listOf(replaced, shown)}, and neither can a folder in ${tmpdir()} (${code}): configuration, secrets and records have no
place, so nothing was started. Make a folder writable and name it: RUN_DIR=FOLDER make run`
    return { kind: 'none', why }
  }
}

/** Makes a temporary folder with links to the usable folders of the run; throws the system's errors. */
function makeStandIn(
  folder: string,
  replaced: ReadonlySet<string>,
): { readonly base: string; readonly working: string } {
  const working = mkdtempSync(join(tmpdir(), 'llm-gateway-run-'))
  const base = replaced.has(folder) ? working : folder
  const environment = join(folder, 'env')
  if (base === working && existsSync(environment)) copyFileSync(environment, join(working, 'env'))
  mkdirSync(join(working, 'app'))
  for (const name of FOLDERS) {
    const [used, made] = [join(folder, 'app', name), join(working, 'app', name)]
    if (existsSync(used) && !replaced.has(used)) symlinkSync(used, made)
    else mkdirSync(made, { mode: 0o700 })
  }
  return { base, working }
}

type StandIn = {
  readonly working: string
  readonly base: string
  readonly replaced: string
  readonly isConfigured: boolean
}

function standInNote({ working, base, replaced, isConfigured }: StandIn): string {
  const hint = `\`RUN_DIR=${working} make stop\` ends the run.`
  return [
    `${replaced}: this run uses ${working} in place of it, with ${isConfigured ? 'your' : 'the shipped'} configuration.`,
    'The files of this run stay there. Records of earlier runs stay where they are and are not sent now.',
    ...(base === working ? [hint] : []),
  ].join('\n')
}

function keptNotes(kept: readonly UnwritableFolder[], shown: (path: string) => string): readonly string[] {
  if (kept.length === 0) return []
  const note = `${listOf(kept, shown)}: calls are served with the files that are there.`
  const records = `Until there is room, records wait on the bus, in the spool and in memory, wherever there is room for them. Records for
which there is none are lost and counted.`
  return [kept.some(({ isFull }) => isFull) ? `${note}\n${records}` : note]
}

/** Names the folders, without those inside of a named folder. */
function listOf(blocked: readonly UnwritableFolder[], shown: (path: string) => string): string {
  return blocked
    .filter(({ folder }) => !blocked.some((other) => folder.startsWith(`${other.folder}/`)))
    .map(({ folder, code }) => `${shown(folder)} can't be written (${code})`)
    .join(', ')
}
