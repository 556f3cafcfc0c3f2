import { join, resolve } from 'node:path'
import { parseCommandLine } from './command-line.ts'
import { makeRelease } from './release.ts'

const command = parseCommandLine(process.argv.slice(2))
if (command.kind === 'usage') {
  console.error(command.message)
  process.exitCode = 2
} else {
  const root = join(import.meta.dirname, '../..')
  const out = resolve(command.out)
  const say = (line: string): void => console.log(line)
  try {
    await makeRelease({ ...command, root, out, environment: process.env, say })
    say(`release: ${command.version} is in ${out}`)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
