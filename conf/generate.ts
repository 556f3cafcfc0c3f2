import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonSchemas } from './src/json-schemas.ts'

for (const [file, text] of jsonSchemas()) writeFileSync(join(import.meta.dirname, file), text)
