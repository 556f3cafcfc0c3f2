import { parseArgs } from 'node:util'
import type { ImageOptions } from './build-image.ts'
import { type ImageName, parseImageName } from './image-name.ts'
import { parsePlatforms } from './parts/platform.ts'

export type ImageCommand =
  | ({ readonly kind: 'build' } & Pick<ImageOptions, 'target' | 'epoch' | 'platforms' | 'isRelease'>)
  | { readonly kind: 'pin' }
  | { readonly kind: 'usage'; readonly message: string }

const USAGE = {
  kind: 'usage',
  message: `node tools/image/main.ts --out FILE [--name NAME:TAG] [--platform LIST] [--release] | --tree FOLDER | --pin
  --out FILE       writes an OCI archive
  --name NAME:TAG  name of the image; default: llm-gateway and the version
  --platform LIST  linux/amd64, linux/arm64 or both with a comma between; default: this machine's
  --release        fails where a part differs from its pin
  --tree FOLDER    writes the root file system instead
  --pin            pins the Debian packages that the mirror has now, in tools/image/debian/pins.json
SOURCE_DATE_EPOCH: the time of all files in the image, in seconds since 1970; default: 0`,
} as const
/** The largest number of a tar's 11 octal digits. */
const LAST_EPOCH = 0o77777777777
const OPTIONS = {
  out: { type: 'string' },
  tree: { type: 'string' },
  name: { type: 'string' },
  platform: { type: 'string' },
  release: { type: 'boolean' },
  pin: { type: 'boolean' },
} as const

/** Parses the command line and SOURCE_DATE_EPOCH; unset and empty mean 0. */
export function parseCommandLine(
  argv: readonly string[],
  sourceDateEpoch: string | undefined,
  ownName: ImageName | undefined,
): ImageCommand {
  const options = parseOptions(argv)
  const epoch = Number(sourceDateEpoch || 0)
  if (options === undefined || !Number.isInteger(epoch) || epoch < 0 || epoch > LAST_EPOCH) return USAGE
  const { out, tree, name: wanted, platform, release: isRelease = false, pin = false } = options
  if (pin) return argv.length === 1 ? { kind: 'pin' } : USAGE
  const name = wanted === undefined ? ownName : parseImageName(wanted)
  const platforms = platform === undefined ? [] : parsePlatforms(platform)
  if (platforms === undefined) return USAGE
  if (out && tree === undefined && name !== undefined)
    return { kind: 'build', epoch, platforms, isRelease, target: { kind: 'archive', file: out, name } }
  if (tree && out === undefined && wanted === undefined && platforms.length < 2)
    return { kind: 'build', epoch, platforms, isRelease, target: { kind: 'tree', folder: tree } }
  return USAGE
}

function parseOptions(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS }).values
  } catch {
    return undefined
  }
}
