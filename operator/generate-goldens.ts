import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { goldenText } from './src/translate/golden-under-test.ts'

// Writes the goldens again, to save typing; each change in them still has to be read. argv: a glob below testdata;
// none: all.
const cwd = join(import.meta.dirname, 'testdata')
for (const file of globSync(process.argv[2] ?? '**/*.in.yaml', { cwd })) {
  writeFileSync(join(cwd, file.replace('.in.', '.out.')), goldenText(readFileSync(join(cwd, file), 'utf8')))
}
