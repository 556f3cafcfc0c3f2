import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const SHIPPED = /^([a-z0-9]+_config(\.schema)?\.json|nats-server(-tls)?\.conf)$/

/**
 * Puts shipped files into a folder where none of that name is, and changes nothing that is there. Of two sources with one
 * name the later one's counts. Needs of the folder's file system that a file can be made and renamed: a share of Azure Files
 * has neither modes nor links. Returns the names that it added, sorted; rejects with the error of the file system.
 */
export async function fillFolder(folder: string, sources: readonly string[]): Promise<readonly string[]> {
  const places = new Map<string, string>()
  for (const source of sources)
    for (const name of await readdir(source)) if (SHIPPED.test(name)) places.set(name, join(source, name))
  await mkdir(folder, { recursive: true })
  const added: string[] = []
  for (const [name, place] of [...places].sort()) {
    if (await isThere(join(folder, name))) continue
    await putWhole(join(folder, name), await readFile(place))
    added.push(name)
  }
  return added
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

/** A container that is ended meanwhile leaves no half of a file: it would be kept by every later start. */
async function putWhole(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(draft, bytes, { flag: 'wx' })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined) // What went wrong first is what is told.
    throw error
  }
}
