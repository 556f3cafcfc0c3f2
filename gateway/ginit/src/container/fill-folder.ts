import { randomBytes } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@llm-gateway/conf'

const SHIPPED = /^([a-z0-9]+_config(\.schema)?\.json|nats-server(-tls)?\.conf)$/

/**
 * Copies shipped files to a folder where they are missing, without changing existing files. Of files with the same name
 * in two sources the file of the later source counts. The file system must allow creating and renaming files: a share
 * of Azure Files has neither modes nor links. Returns the added names, sorted; rejects with the file system's error.
 */
export async function fillFolder(folder: string, sources: readonly string[]): Promise<readonly string[]> {
  const places = new Map<string, string>()
  for (const source of sources)
    for (const name of await readdir(source)) if (SHIPPED.test(name)) places.set(name, join(source, name))
  await makeFolder(folder)
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

/**
 * Writes a draft and renames it: half a file from a container that ended meanwhile would be kept by every later start.
 */
async function putWhole(path: string, bytes: Uint8Array): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(draft, bytes, { flag: 'wx' })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined) // The first error is reported.
    throw error
  }
}
