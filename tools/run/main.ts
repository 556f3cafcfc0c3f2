import { join, resolve } from 'node:path'
import { run } from './run.ts'
import { stopRunning } from './stop-running.ts'

const root = join(import.meta.dirname, '../..')
const context = {
  root,
  folder: resolve(root, process.env.RUN_DIR ?? '.run'),
  environment: process.env,
  say: (line: string) => console.log(line),
}
process.exitCode = process.argv[2] === 'stop' ? await stopRunning(context) : await run(context, process)
