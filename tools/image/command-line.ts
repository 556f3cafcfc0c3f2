import { parseArgs } from 'node:util'
import type { ImageOptions } from './build-image.ts'
import { type ImageName, parseImageName } from './image-name.ts'

export type ImageCommand =
  | ({ readonly kind: 'build' } & Pick<ImageOptions, 'target' | 'epoch'>)
  | { readonly kind: 'usage'; readonly message: string }

const USAGE = {
  kind: 'usage',
  message: `node tools/image/main.ts --out FILE [--name NAME:TAG] | --tree FOLDER
  --out FILE       writes an OCI archive
  --name NAME:TAG  what the image is called; default: llm-gateway and the version
  --tree FOLDER    writes the root file system instead
SOURCE_DATE_EPOCH: seconds since 1970 that everything is dated; default 0`,
} as const
/** The end of a tar's 11 octal digits. */
const LAST_EPOCH = 0o77777777777

/** Reads the command line and SOURCE_DATE_EPOCH, of which unset and empty are 0. */
export function parseCommandLine(
  argv: readonly string[],
  sourceDateEpoch: string | undefined,
  ownName: ImageName | undefined,
): ImageCommand {
  const options = parseOptions(argv)
  const epoch = Number(sourceDateEpoch || 0)
  if (options === undefined || !Number.isInteger(epoch) || epoch < 0 || epoch > LAST_EPOCH) return USAGE
  const { out, tree, name: wanted } = options
  const name = wanted === undefined ? ownName : parseImageName(wanted)
  if (out && tree === undefined && name !== undefined)
    return { kind: 'build', epoch, target: { kind: 'archive', file: out, name } }
  if (tree && out === undefined && wanted === undefined)
    return { kind: 'build', epoch, target: { kind: 'tree', folder: tree } }
  return USAGE
}

function parseOptions(argv: readonly string[]) {
  try {
    const options = { out: { type: 'string' }, name: { type: 'string' }, tree: { type: 'string' } } as const
    return parseArgs({ args: [...argv], options }).values
  } catch {
    return undefined
  }
}
