/** What an image runs on, as those who make its parts call it. */
export type Platform = {
  /** As an OCI image and Debian name the processor, and GOARCH. */
  readonly architecture: 'amd64' | 'arm64'
  /** As tools/versions.json names the package of Node. */
  readonly node: 'linux-x64' | 'linux-arm64'
  /** `process.arch` there. */
  readonly cpu: 'x64' | 'arm64'
  /** GCC's name of it. */
  readonly triplet: string
}

export const PLATFORMS: readonly Platform[] = [
  { architecture: 'amd64', node: 'linux-x64', cpu: 'x64', triplet: 'x86_64-linux-gnu' },
  { architecture: 'arm64', node: 'linux-arm64', cpu: 'arm64', triplet: 'aarch64-linux-gnu' },
]

/** Those of `linux/amd64,linux/arm64`, each once, in our order; undefined where one isn't known or there is none. */
export function parsePlatforms(text: string): readonly Platform[] | undefined {
  const names = text.split(',')
  const known = PLATFORMS.map(({ architecture }) => `linux/${architecture}`)
  if (!names.every((name) => known.includes(name))) return undefined
  return PLATFORMS.filter(({ architecture }) => names.includes(`linux/${architecture}`))
}

/** The platform of a machine with this processor; undefined where there is no image for it. */
export function platformOf(cpu: string): Platform | undefined {
  return PLATFORMS.find((platform) => platform.cpu === cpu)
}
