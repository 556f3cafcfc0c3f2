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
  /** Returns index.html with the nonce in its places, or instructions if the page isn't built. */
  document(nonce: string): { readonly status: number; readonly html: string }
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

const NOT_BUILT = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>LLM gateway</title>
<meta http-equiv="refresh" content="5"></head><body><h1>The page is being built</h1>
<p>This takes a minute after the first start; the page loads by itself then. The gateway runs meanwhile.</p>
<p>Where nothing builds it: <code>make web</code>. Scripts use <code>/api/v1</code> at once.</p></body></html>`

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
      const index = files.get('/index.html')
      if (index === undefined) return { status: 503, html: NOT_BUILT }
      return { status: 200, html: index.bytes.toString().replaceAll(NONCE_PLACE, nonce) }
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
  for (const entry of found.filter((one) => one.isFile())) {
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
