import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { NONCE_PLACE } from '@llm-gateway/gui-api'

export type PageFile = {
  readonly bytes: Buffer
  readonly type: string
  readonly etag: string
  readonly hashed: boolean
}

export type Page = {
  /** Returns the file of a path such as `/assets/x.js`; undefined if there is none. */
  file(path: string): PageFile | undefined
  /** Returns index.html with the nonce in its places; undefined while the page isn't built. */
  document(nonce: string): string | undefined
  close(): void
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.html', 'text/html; charset=utf-8'],
  ['.ico', 'image/x-icon'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.json', 'application/json'],
  ['.map', 'application/json'],
  ['.png', 'image/png'],
  ['.svg', 'image/svg+xml'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.webmanifest', 'application/manifest+json'],
  ['.woff2', 'font/woff2'],
])
/** Bytes of all files, which are held in memory: no request path is ever used to open a file. */
const MOST_BYTES = 32 * 1024 * 1024
const LOOK_MS = 1_000

/** Seconds after which a browser or script asks again for a page that isn't built. */
export const NOT_BUILT_RETRY_SECONDS = 5
export const NOT_BUILT_MESSAGE =
  'The page of the web interface is not built yet. `make run` builds it after the first start, in about a minute.'
export const NOT_BUILT_HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>LLM gateway</title>
<meta http-equiv="refresh" content="${NOT_BUILT_RETRY_SECONDS}"></head><body>
<h1>The page of the web interface is not built yet</h1>
<p><code>make run</code> builds it after the first start, in about a minute; this page then loads it by itself.
The gateway answers calls meanwhile, and scripts can use <code>/api/v1</code>.</p>
<p>If nothing builds it, run <code>make web</code>.</p></body></html>`

/** Opens the built page in a folder, and reads it again after each build. */
export async function openPage(folder: string): Promise<Page> {
  let files = await readPage(folder)
  let stamp = await stampOf(folder)
  const look = async (): Promise<void> => {
    const next = await stampOf(folder)
    if (next === stamp) return
    stamp = next
    files = await readPage(folder)
  }
  // `look` never rejects: unreadable files count as a page that isn't built.
  const timer = setInterval(() => void look(), LOOK_MS)
  timer.unref()
  return {
    file: (path) => files.get(path),
    document(nonce) {
      return files.get('/index.html')?.bytes.toString().replaceAll(NONCE_PLACE, nonce)
    },
    close: () => clearInterval(timer),
  }
}

/** Returns the stamp of index.html, the last file that the build writes. */
async function stampOf(folder: string): Promise<string> {
  const found = await stat(join(folder, 'index.html')).catch(() => undefined)
  return found === undefined ? '' : `${found.mtimeMs} ${found.size} ${found.ino}`
}

async function readPage(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = new Map<string, PageFile>()
  let left = MOST_BYTES
  for (const entry of found.filter((entry) => entry.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path).catch(() => undefined)
    left -= bytes?.length ?? 0
    if (bytes === undefined || left < 0) continue
    const name = `/${relative(folder, path).split(sep).join('/')}`
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
    const type = TYPES.get(extname(name)) ?? 'application/octet-stream'
    files.set(name, { bytes, type, etag, hashed: name.startsWith('/assets/') })
  }
  return files
}
