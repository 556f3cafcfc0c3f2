import { parseArgs } from 'node:util'
import { isVersion } from '../version/version.ts'

export type ReleaseCommand =
  | { readonly kind: 'release'; readonly version: string; readonly out: string; readonly hasImage: boolean }
  | { readonly kind: 'usage'; readonly message: string }

const USAGE = {
  kind: 'usage',
  message: `make release VERSION=1.2.3 [OUT=FOLDER] [WITHOUT=image]
  VERSION        three numbers; -alpha.N, -beta.N or -rc.N may follow
  OUT            an empty folder or a new one; default: .release/VERSION
  WITHOUT=image  leaves the container image out, which takes minutes`,
} as const

/** Parses the command line of a release. */
export function parseCommandLine(argv: readonly string[]): ReleaseCommand {
  const options = parseOptions(argv)
  const { version = '', out, 'no-image': noImage = false } = options ?? {}
  if (options === undefined || !isVersion(version)) return USAGE
  return { kind: 'release', version, out: out || `.release/${version}`, hasImage: !noImage }
}

function parseOptions(argv: readonly string[]) {
  const known = { version: { type: 'string' }, out: { type: 'string' }, 'no-image': { type: 'boolean' } } as const
  try {
    return parseArgs({ args: [...argv], options: known }).values
  } catch {
    return undefined
  }
}
