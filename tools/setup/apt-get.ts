import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { lastLine, runCommand } from './run-command.ts'

export type AptPlace = {
  /** The folder in which apt-get runs; package lists are in it meanwhile. */
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
}

/**
 * Runs apt-get without root; where that fails, a second time with package lists of our own, since the machine's may be
 * missing or old. Returns the reason when both failed.
 */
export async function aptGet(args: readonly string[], { folder, environment }: AptPlace): Promise<string | undefined> {
  const command = { cwd: folder, environment: { ...environment, DEBIAN_FRONTEND: 'noninteractive' } }
  // apt's sandbox user can't write into our folder.
  const common = ['-o', 'Debug::NoLocking=true', '-o', 'APT::Sandbox::User=root']
  if ((await runCommand('apt-get', [...common, ...args], command)).ok) return undefined
  const own = join(folder, 'apt')
  for (const name of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(own, name), { recursive: true })
  const ours = [...common, '-o', `Dir::State::lists=${own}/lists`, '-o', `Dir::Cache=${own}/cache`]
  const updated = await runCommand('apt-get', [...ours, 'update'], command)
  const again = updated.ok ? await runCommand('apt-get', [...ours, ...args], command) : updated
  rmSync(own, { recursive: true })
  return again.ok ? undefined : `apt-get: ${lastLine(again.output)}`
}

/** Unpacks a package's archive into a folder; returns the reason when that failed. */
export async function unpackArchive(archive: string, { folder, environment }: AptPlace): Promise<string | undefined> {
  const unpacked = await runCommand('dpkg-deb', ['-x', archive, folder], { cwd: folder, environment })
  return unpacked.ok ? undefined : `dpkg-deb: ${lastLine(unpacked.output)}`
}
