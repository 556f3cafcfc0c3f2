import { join } from 'node:path'
import { ensureRe2 } from './ensure-re2.ts'
import { startInBackground } from './start-in-background.ts'

const checkout = {
  root: join(import.meta.dirname, '../..'),
  environment: process.env,
  say: (line: string) => console.log(line),
}

if (process.argv[2] === '--background') {
  await startInBackground(checkout)
} else {
  const outcome = await ensureRe2(checkout)
  if (outcome.kind === 'unavailable') checkout.say(`tools: re2 is not available: ${outcome.reason}`)
  process.exitCode = outcome.kind === 'ready' ? 0 : 1
}
