import { writeFileSync } from 'node:fs'
import type { ImageBuild } from '../parts/part.ts'
import { PLATFORMS } from '../parts/platform.ts'
import { newestPackages } from './fetch-packages.ts'
import { BASE_PACKAGES, type PinnedPackage, pinsFile } from './pinned-package.ts'

/** Pins the current versions of the machine's mirror for each platform; returns the reason when that failed. */
export async function writePins(imageBuild: ImageBuild): Promise<string | undefined> {
  const pins = new Map<string, readonly PinnedPackage[]>()
  for (const { architecture } of PLATFORMS) {
    const found = await newestPackages(BASE_PACKAGES, { architecture, imageBuild })
    if (found.kind === 'unavailable') return found.reason
    for (const { name, version } of found.packages) imageBuild.say(`image: ${architecture}: ${name} ${version}`)
    pins.set(
      architecture,
      found.packages.map(({ name, version, sha256 }) => ({ name, version, sha256 })),
    )
  }
  writeFileSync(pinsFile(imageBuild.root), `${JSON.stringify(Object.fromEntries(pins), undefined, 2)}\n`)
  return undefined
}
