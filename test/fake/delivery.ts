import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A directory delivered like a Kubernetes volume: names are links through `..data`, and `..data` is swapped. */
export type Delivery = {
  readonly directory: string
  /** Replaces all files at once. A name that isn't a link through `..data` becomes one. */
  swap(files: Readonly<Record<string, string>>): Promise<void>
}

/** Makes the directory if it doesn't exist. The directory is empty before the first `swap`. */
export async function createDelivery(directory: string): Promise<Delivery> {
  await mkdir(directory, { recursive: true })
  let serial = 0
  let previous: string | undefined
  return {
    directory,
    swap: async (files) => {
      serial += 1
      const folder = `..delivery_${serial}`
      await mkdir(join(directory, folder))
      for (const [name, text] of Object.entries(files)) await writeFile(join(directory, folder, name), text)
      await link(folder, '..data', directory)
      for (const name of Object.keys(files)) await link(join('..data', name), name, directory)
      if (previous !== undefined) await rm(join(directory, previous), { recursive: true })
      previous = folder
    },
  }
}

/** Replaces `name` atomically by a link to `target`. */
async function link(target: string, name: string, directory: string): Promise<void> {
  const prepared = join(directory, `..next_${name.replaceAll('.', '')}`)
  await symlink(target, prepared)
  await rename(prepared, join(directory, name))
}
