import { join } from 'node:path'
import { ensurePrograms } from './ensure-programs.ts'
import { startInBackground } from './start-in-background.ts'

const checkout = {
  root: join(import.meta.dirname, '../..'),
  environment: process.env,
  say: (line: string) => console.log(line),
}
const [command, option] = process.argv.slice(2)

if (command === 'build' && option === '--background') {
  startInBackground(checkout)
} else if (command === 'build') {
  const outcome = await ensurePrograms(checkout, ['kubelite', 'etcd', 'coredns', 'pause'])
  if (outcome.kind === 'unavailable') checkout.say(`tools: no test cluster: ${outcome.reason}`)
  process.exitCode = outcome.kind === 'ready' ? 0 : 1
}
