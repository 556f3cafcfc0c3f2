import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Checkout, getPackages } from '../setup/get-packages.ts'
import { runCommand } from '../setup/run-command.ts'

const DOCS = 'docs'
/** The pages, the READMEs to which they lead, and the site's settings and theme. A glob's `**` skips hidden folders. */
const SOURCES = [
  'docs/**/*.{md,json,js,png}',
  'docs/.vitepress/**/*.js',
  '*.md',
  '{charts,conf,deploy,examples,operator,processors,test,tools}/**/*.md',
]

/** Builds `docs/dist` when its sources have changed; prints the reason and returns false when that fails. */
export async function buildSite(checkout: Checkout): Promise<boolean> {
  const { root, environment, say } = checkout
  const docs = join(root, DOCS)
  const stamp = join(docs, 'node_modules', '.site-sha256')
  const wanted = sourcesHash(root)
  const isBuilt = existsSync(join(docs, 'dist/index.html')) && existsSync(stamp)
  if (isBuilt && readFileSync(stamp, 'utf8') === wanted) return true
  if (!(await getPackages({ ...checkout, root: docs }))) return false
  const args = [join(docs, 'node_modules/vitepress/bin/vitepress.js'), 'build', '.']
  const { ok, output } = await runCommand(process.execPath, args, { cwd: docs, environment })
  if (!ok) {
    say(`tools: the site of the documentation can't be built\n${output}`)
    return false
  }
  writeFileSync(stamp, wanted)
  say('tools: the site of the documentation is built: docs/dist')
  return true
}

/** Returns the sorted paths of the files from which the site is built. */
export function siteSources(root: string): readonly string[] {
  const paths = globSync(SOURCES, { cwd: root, exclude: ['**/node_modules', '**/dist', '.tools', '.run'] }).map(String)
  return [...new Set(paths)].sort()
}

/** Returns a hash of the sources' paths and contents. */
function sourcesHash(root: string): string {
  const hash = createHash('sha256')
  for (const path of siteSources(root)) hash.update(`${path}\n`).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}
