import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { emptyFolder } from './empty-folder.ts'
import { lastLine, runCommand } from './run-command.ts'

/**
 * Downloads Debian's package and unpacks it into the folder, which is emptied before. Works without root, and with
 * package lists of our own when the machine's are missing or old. Returns the reason when it failed.
 */
export async function unpackDebianPackage(
  name: string,
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  emptyFolder(folder)
  const command = { cwd: folder, environment: { ...environment, DEBIAN_FRONTEND: 'noninteractive' } }
  const downloaded = await runCommand('apt-get', ['download', name], command)
  if (!downloaded.ok) {
    const own = ownLists(folder)
    const updated = await runCommand('apt-get', [...own, 'update'], command)
    const again = updated.ok ? await runCommand('apt-get', [...own, 'download', name], command) : updated
    if (!again.ok) return `apt-get: ${lastLine(again.output)}`
  }
  const archive = readdirSync(folder).find((file) => file.endsWith('.deb'))
  if (archive === undefined) return 'apt-get downloaded no package'
  const unpacked = await runCommand('dpkg-deb', ['-x', archive, folder], command)
  if (!unpacked.ok) return `dpkg-deb: ${lastLine(unpacked.output)}`
  rmSync(join(folder, archive))
  rmSync(join(folder, 'state'), { recursive: true, force: true })
  return undefined
}

function ownLists(folder: string): readonly string[] {
  for (const name of ['state/lists/partial', 'state/cache/archives/partial'])
    mkdirSync(join(folder, name), { recursive: true })
  return [
    '-o',
    `Dir::State::lists=${folder}/state/lists`,
    '-o',
    `Dir::Cache=${folder}/state/cache`,
    '-o',
    'Debug::NoLocking=true',
  ]
}
