import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generatedPages } from './pages.ts'

const folder = join(import.meta.dirname, '../reference')
mkdirSync(folder, { recursive: true })
for (const [file, text] of generatedPages()) writeFileSync(join(folder, file), text)
