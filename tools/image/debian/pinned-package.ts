import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A Debian package in its pinned version, for one architecture; `sha256` is the hash of the .deb file, in hex. */
export type PinnedPackage = { readonly name: string; readonly version: string; readonly sha256: string }
/** The pinned packages by Debian's name of the architecture, such as `amd64`. */
export type Pins = Readonly<Record<string, readonly PinnedPackage[]>>

/**
 * Debian packages in the image: libraries that Node and re2 need, the gateway's allocator, and `base-files`, which names
 * Debian's release.
 */
export const BASE_PACKAGES = ['base-files', 'gcc-12-base', 'libc6', 'libgcc-s1', 'libjemalloc2', 'libstdc++6'] as const

/** Reads the file of pins, which `node tools/image/main.ts --pin` writes. */
export function readPins(root: string): Pins {
  return JSON.parse(readFileSync(pinsFile(root), 'utf8'))
}

export function pinsFile(root: string): string {
  return join(root, 'tools/image/debian/pins.json')
}
