import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommandLine } from './command-line.ts'
import { runNode } from './run-node.ts'

const [command = 'help', ...args] = process.argv.slice(2)

if (command === 'inside') {
  // `startCluster` has started this process in the cluster's namespaces. The process must live as long as the
  // namespaces.
  await runNode(JSON.parse(readFileSync(join(args[0] ?? '', 'plan.json'), 'utf8')))
  setInterval(() => undefined, 2 ** 30)
} else {
  process.exitCode = await runCommandLine(command, args, {
    root: join(import.meta.dirname, '../..'),
    environment: process.env,
    say: (line) => console.log(line),
  })
}
