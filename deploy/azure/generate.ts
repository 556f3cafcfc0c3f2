import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatedFiles } from './generated-files.ts'

const root = join(import.meta.dirname, '../..')
for (const { path, text } of generatedFiles(root)) writeFileSync(join(root, path), text)
