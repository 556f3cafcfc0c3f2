import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generatedFiles } from './generated-files.ts'

const root = join(import.meta.dirname, '../..')
// Removes dashboards that are no longer generated.
rmSync(join(root, 'charts/llm-gateway/files/dashboards'), { recursive: true, force: true })
for (const { path, text } of generatedFiles()) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
