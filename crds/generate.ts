import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { definitions } from './src/definitions.ts'

for (const [file, text] of definitions()) writeFileSync(join(import.meta.dirname, 'manifests', file), text)
