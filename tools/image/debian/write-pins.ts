import { writeFileSync } from 'node:fs'
import type { Workshop } from '../parts/part.ts'
import { PLATFORMS } from '../parts/platform.ts'
import { newestPackages } from './fetch-packages.ts'
import { BASE_PACKAGES, type PinnedPackage, pinsFile } from './pinned-package.ts'

/** Pins the current versions of the machine's mirror for each platform; returns the reason when that failed. */
export async function writePins(workshop: Workshop): Promise<string | undefined> {
  const pins = new Map<string, readonly PinnedPackage[]>()
  for (const { architecture } of PLATFORMS) {
    const found = await newestPackages(BASE_PACKAGES, { architecture, workshop })
    if (found.kind === 'unavailable') return found.reason
    for (const { name, version } of found.packages) workshop.say(`image: ${architecture}: ${name} ${version}`)
    pins.set(
      architecture,
      found.packages.map(({ name, version, sha256 }) => ({ name, version, sha256 })),
    )
  }
  writeFileSync(pinsFile(workshop.root), `${JSON.stringify(Object.fromEntries(pins), undefined, 2)}\n`)
  return undefined
}
