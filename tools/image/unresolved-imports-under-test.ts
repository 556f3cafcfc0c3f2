// Runs inside the image, by itself: prints what the bundles import and can't find there, one line each.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = '/app/bundle'
/** A file beside the bundle, imported or started as a thread. */
const BESIDE = /["']\.\/([^"']+\.mjs)["']/g

let seen = 0
for (const name of readdirSync(FOLDER)) {
  // Lines end within texts too.
  const text = readFileSync(join(FOLDER, name), 'utf8').replaceAll('\\\n', '')
  for (const [, wanted = ''] of text.matchAll(BESIDE)) {
    seen += 1
    if (!existsSync(join(FOLDER, wanted))) console.log(`unresolved: ${wanted} in ${name}`)
  }
}
console.log(`seen: ${seen}`)
