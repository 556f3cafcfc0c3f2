import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { cp, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitForFolderLock } from '../setup/folder-lock.ts'
import { type Checkout, getPackages } from '../setup/get-packages.ts'
import { runCommand } from '../setup/run-command.ts'

const WEB = 'gateway/gui/web'
const SOURCES = ['*.{html,json,ts}', 'src/**/*', 'public/**/*']
const INDEX = 'index.html'

/**
 * Builds `gateway/gui/web/dist` when its sources have changed; prints the reason and returns false when that fails. Of
 * several processes one builds the page, and the others wait for it.
 */
export async function buildPage(checkout: Checkout): Promise<boolean> {
  const lock = await waitForFolderLock(join(checkout.root, '.tools/page'))
  try {
    return await buildUnlessBuilt(checkout)
  } finally {
    lock.release()
  }
}

async function buildUnlessBuilt(checkout: Checkout): Promise<boolean> {
  const { root, environment, say } = checkout
  const web = join(root, WEB)
  const dist = join(web, 'dist')
  const stamp = join(web, 'node_modules', '.page-sha256')
  const wanted = sourcesHash(root)
  if (isBuilt({ dist, stamp, wanted })) return true
  if (!(await getPackages({ ...checkout, root: web }))) return false
  const made = await mkdtemp(join(tmpdir(), 'llm-gateway-page-'))
  try {
    const vite = join(web, 'node_modules/vite/bin/vite.js')
    const args = [vite, 'build', '--logLevel', 'warn', '--emptyOutDir', '--outDir', made]
    const { ok, output } = await runCommand(process.execPath, args, { cwd: web, environment })
    if (!ok) {
      say(`tools: the page can't be built\n${output}`)
      return false
    }
    await replace(made, dist)
    writeFileSync(stamp, wanted)
    say('tools: the page of the web interface is built')
    return true
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

type Build = { readonly dist: string; readonly stamp: string; readonly wanted: string }

function isBuilt({ dist, stamp, wanted }: Build): boolean {
  return existsSync(join(dist, INDEX)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
}

/**
 * Replaces the folder so that a reader always finds the files named by its index: the new index is copied last, then
 * old files are removed.
 */
async function replace(made: string, dist: string): Promise<void> {
  const isAsset = (name: string): boolean => !name.endsWith(INDEX)
  await cp(made, dist, { recursive: true, filter: isAsset })
  await cp(join(made, INDEX), join(dist, `${INDEX}.new`))
  await rename(join(dist, `${INDEX}.new`), join(dist, INDEX))
  const [kept, found] = [new Set(await files(made)), await files(dist)]
  await Promise.all(found.filter((name) => !kept.has(name)).map((name) => rm(join(dist, name))))
}

async function files(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
}

/** Returns a hash of the page's sources, including the types of its server. */
function sourcesHash(root: string): string {
  const own = globSync(SOURCES, { cwd: join(root, WEB), withFileTypes: true })
  const shared = globSync('gateway/gui/api/src/*.ts', { cwd: root, withFileTypes: true })
  const hash = createHash('sha256')
  const paths = [...own, ...shared]
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  for (const path of [...new Set(paths)].sort()) hash.update(`${path.slice(root.length)}\n`).update(readFileSync(path))
  return hash.digest('hex')
}
