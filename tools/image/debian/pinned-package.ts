import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package of an architecture with its pinned version; `sha256` is of the .deb, in hex. */
export type PinnedPackage = { readonly name: string; readonly version: string; readonly sha256: string }
export type Pins = Readonly<Record<string, readonly PinnedPackage[]>>

/** Debian packages in the image: libraries of Node and re2, and the release's identification. */
export const BASE_PACKAGES = ['base-files', 'gcc-12-base', 'libc6', 'libgcc-s1', 'libstdc++6'] as const

/** Reads the pins by architecture, which `--pin` writes. */
export function readPins(root: string): Pins {
  return JSON.parse(readFileSync(pinsFile(root), 'utf8'))
}

export function pinsFile(root: string): string {
  return join(root, 'tools/image/debian/pins.json')
}
