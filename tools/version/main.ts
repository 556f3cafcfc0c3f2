import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isVersion } from './version.ts'
import { GENERATORS, versionCopies } from './version-copies.ts'

const root = join(import.meta.dirname, '../..')
const manifest = join(root, 'package.json')
const args = process.argv.slice(2)
const [wanted] = args

// Without an argument, as a part of `make generate`, copies the version of the root's package.json. With a version as
// argument, gives the checkout that version, generated files included.
if (args.length > 1 || (wanted !== undefined && !isVersion(wanted))) {
  console.error('make version VERSION=1.2.3\n  VERSION  three numbers; -alpha.N, -beta.N or -rc.N may follow')
  process.exitCode = 2
} else {
  writeCopies(wanted ?? JSON.parse(readFileSync(manifest, 'utf8')).version)
  if (wanted !== undefined) process.exitCode = runGenerators()
}

function writeCopies(version: string): void {
  for (const [file, text] of versionCopies(root, version))
    if (readFileSync(join(root, file), 'utf8') !== text) writeFileSync(join(root, file), text)
}

/** Returns the exit code of the first generator that failed; 0 when none did. */
function runGenerators(): number {
  for (const program of GENERATORS) {
    const { status } = spawnSync(process.execPath, [program], { cwd: root, stdio: 'inherit' })
    if (status !== 0) return status ?? 1
  }
  return 0
}
