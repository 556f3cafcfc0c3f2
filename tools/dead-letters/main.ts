import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { withKeptSecrets } from '../run/environment-file.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = resolve(root, process.env.RUN_DIR ?? '.run')
const [sink = 'nats2log', ...command] = process.argv.slice(2)
const program = join(root, 'processors/nats2log/src/dead-letters.ts')
const args = ['node', program, '-o', `app/conf/${sink}_config.json`, ...command]

if (existsSync(folder)) {
  process.chdir(folder)
  // The program takes the place of this process, and with it the terminal's signals and the exit code.
  process.execve?.(process.execPath, args, withKeptSecrets(join(folder, 'env'), process.env))
}
console.error(`dead-letters: the folder ${folder} of \`make run\` does not exist`)
process.exitCode = 1
