// Runs alone inside the image and prints each import of the bundles that can't be found there.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = '/app/bundle'
/** Matches a file beside the bundle that is imported or started as a thread. */
const BESIDE = /["']\.\/([^"']+\.mjs)["']/g

let seen = 0
for (const name of readdirSync(FOLDER)) {
  // The bundles have line continuations inside texts, too.
  const text = readFileSync(join(FOLDER, name), 'utf8').replaceAll('\\\n', '')
  for (const [, wanted = ''] of text.matchAll(BESIDE)) {
    seen += 1
    if (!existsSync(join(FOLDER, wanted))) console.log(`unresolved: ${wanted} in ${name}`)
  }
}
console.log(`seen: ${seen}`)
