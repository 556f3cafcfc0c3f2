import { join } from 'node:path'
import { setupSteps } from './setup.ts'

const steps = setupSteps({
  root: join(import.meta.dirname, '../..'),
  environment: process.env,
  say: (line) => console.log(line),
})
// Both steps run even when the first fails, so that all reasons are shown together.
const results = [await steps.tools(), await steps.packages()]
process.exitCode = results.every(Boolean) ? 0 : 1
