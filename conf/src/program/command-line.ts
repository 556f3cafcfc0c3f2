import { parseArgs } from 'node:util'

/** The command line of a program that needs a configuration file. */
export type CommandLine =
  | { readonly kind: 'run' | 'validate'; readonly file: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'usage'; readonly message: string }

/** The command line of a program that can run without a file. */
export type ProcessorCommandLine =
  | Exclude<CommandLine, { readonly file: string }>
  | { readonly kind: 'run' | 'validate'; readonly file: string | undefined }

const USAGE = {
  kind: 'usage',
  message: `usage: -o FILE [--validate] | --version
  -o FILE     the configuration file to start with
  --validate  check the file and exit: 0 if the program would start with it, else 1
  --version   print the version and exit`,
} as const
const PROCESSOR_USAGE = {
  kind: 'usage',
  message: `usage: [-o FILE] [--validate] | --version
  -o FILE     the settings file; default: the file that PROCESSOR_CONFIG names, or the default settings
  --validate  check the settings and exit: 0 if the processor would start with them, else 1
  --version   print the version and exit`,
} as const

/** Parses `-o FILE`, `--validate`, `--version`. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const options = parseOptions(argv)
  if (options?.version === true) return { kind: 'version' }
  if (!options?.o) return USAGE
  return { kind: options.validate === true ? 'validate' : 'run', file: options.o }
}

/** Parses the same options with an optional `-o FILE`. */
export function parseProcessorCommandLine(argv: readonly string[]): ProcessorCommandLine {
  const options = parseOptions(argv)
  if (options === undefined || options.o === '') return PROCESSOR_USAGE
  if (options.version === true) return { kind: 'version' }
  return { kind: options.validate === true ? 'validate' : 'run', file: options.o }
}

type Options = {
  readonly o?: string | undefined
  readonly validate?: boolean | undefined
  readonly version?: boolean | undefined
}

/** Returns undefined for an invalid command line. */
function parseOptions(argv: readonly string[]): Options | undefined {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { o: { type: 'string', short: 'o' }, validate: { type: 'boolean' }, version: { type: 'boolean' } },
    })
    return values
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
