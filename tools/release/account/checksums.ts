import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** A file of the release; `sha256` in hex. */
export type Artefact = { readonly name: string; readonly sha256: string }

/** The file that `sha256sum --check` reads. */
const CHECKSUMS = 'SHA256SUMS'

/** Returns the files of a release's folder with their digests, sorted by name. */
export async function artefactsOf(folder: string): Promise<readonly Artefact[]> {
  const names = readdirSync(folder).filter((name) => name !== CHECKSUMS)
  const artefacts: Artefact[] = []
  for (const name of names.sort()) artefacts.push({ name, sha256: await digestOf(join(folder, name)) })
  return artefacts
}

/** Writes `SHA256SUMS` with the digests of all other files. */
export async function writeChecksums(folder: string): Promise<void> {
  const lines = (await artefactsOf(folder)).map(({ name, sha256 }) => `${sha256}  ${name}\n`)
  writeFileSync(join(folder, CHECKSUMS), lines.join(''))
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}
