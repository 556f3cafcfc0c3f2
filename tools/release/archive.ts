import { gzipSync } from 'node:zlib'
import { file } from '../image/entry.ts'
import { tar } from '../image/tar.ts'

/** Path → content of an archive's files. */
export type Files = ReadonlyMap<string, string | Buffer>

/** Returns a compressed tar of files below `folder`, sorted by path, all with one time (seconds since 1970). */
export function tarball(folder: string, files: Files, epoch: number): Buffer {
  const entries = [...files]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, content]) => file(`${folder}/${path}`, () => Buffer.from(content)))
  return gzipSync(Buffer.concat([...tar(entries, { mtime: epoch })]), { level: 9 })
}
