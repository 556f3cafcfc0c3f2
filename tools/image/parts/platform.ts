/** A platform of the image in the terms of its parts' makers. */
export type Platform = {
  /** The architecture's name for OCI, Debian and GOARCH. */
  readonly architecture: 'amd64' | 'arm64'
  /** The name of Node's package in tools/versions.json. */
  readonly node: 'linux-x64' | 'linux-arm64'
  /** The value of `process.arch`. */
  readonly cpu: 'x64' | 'arm64'
  /** GCC's name of the platform. */
  readonly triplet: string
}

export const PLATFORMS: readonly Platform[] = [
  { architecture: 'amd64', node: 'linux-x64', cpu: 'x64', triplet: 'x86_64-linux-gnu' },
  { architecture: 'arm64', node: 'linux-arm64', cpu: 'arm64', triplet: 'aarch64-linux-gnu' },
]

/** Parses `linux/amd64,linux/arm64` to distinct platforms in our order; undefined for an unknown one or none. */
export function parsePlatforms(text: string): readonly Platform[] | undefined {
  const names = text.split(',')
  const known = PLATFORMS.map(({ architecture }) => `linux/${architecture}`)
  if (!names.every((name) => known.includes(name))) return undefined
  return PLATFORMS.filter(({ architecture }) => names.includes(`linux/${architecture}`))
}

/** Returns the platform of a machine with this processor; undefined when there is no image for it. */
export function platformOf(cpu: string): Platform | undefined {
  return PLATFORMS.find((platform) => platform.cpu === cpu)
}
