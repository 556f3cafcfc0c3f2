import type { LayerBlob } from './blob.ts'

const LARGEST = 8

/** Returns lines with the packed and unpacked size of each layer and of its large parts, in decimal megabytes. */
export function sizeTable(layers: readonly (LayerBlob & { readonly name: string })[]): readonly string[] {
  const rows = layers.map(({ name, size, files }) => ({ name, packed: size, unpacked: total(files) }))
  const all = {
    name: 'all',
    packed: rows.reduce((sum, { packed }) => sum + packed, 0),
    unpacked: rows.reduce((sum, { unpacked }) => sum + unpacked, 0),
  }
  return [
    ['layer', 'packed MB', 'unpacked MB'],
    ...[...rows, all].map(({ name, packed, unpacked }) => [name, megabytes(packed), megabytes(unpacked)]),
    ['largest', '', ''],
    ...largest(layers.flatMap(({ files }) => files)).map(([name, size]) => [name, '', megabytes(size)]),
  ].map(([name = '', packed = '', unpacked = '']) => `${name.padEnd(36)}${packed.padStart(14)}${unpacked.padStart(14)}`)
}

type Sizes = LayerBlob['files']

function largest(files: Sizes): Sizes {
  const sums = new Map<string, number>()
  for (const [path, size] of files) {
    const part = partOf(path)
    sums.set(part, (sums.get(part) ?? 0) + size)
  }
  return [...sums].toSorted(([, one], [, other]) => other - one).slice(0, LARGEST)
}

/** Groups a path: a dependency is one part, any other file is a part of its own. */
function partOf(path: string): string {
  return /^app\/(node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? path
}

function total(files: Sizes): number {
  return files.reduce((sum, [, size]) => sum + size, 0)
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
