import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { versionCopies } from './version-copies.ts'

const root = join(import.meta.dirname, '../..')

// Part of `make generate`: copies the version from the root's package.json, where people edit it.
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
for (const [file, text] of versionCopies(root, version))
  if (readFileSync(join(root, file), 'utf8') !== text) writeFileSync(join(root, file), text)
