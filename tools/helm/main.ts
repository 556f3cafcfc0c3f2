import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ensurePrograms } from '../cluster/ensure-programs.ts'
import { chartFiles } from './chart-files.ts'
import { renderDeploy } from './render-deploy.ts'

const root = join(import.meta.dirname, '../..')

// Part of `make generate`: writes the charts' generated files, and operator/deploy from a chart.
for (const [file, text] of chartFiles(root)) write(file, text)
const checkout = { root, environment: process.env, say: (line: string) => console.log(line) }
const outcome = await ensurePrograms(checkout, ['helm'])
if (outcome.kind === 'ready') {
  for (const [file, text] of await renderDeploy(root)) write(`operator/deploy/${file}`, text)
} else {
  console.error(`tools: operator/deploy is not rendered, there is no helm: ${outcome.reason}`)
  process.exitCode = 1
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}
