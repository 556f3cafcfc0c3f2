import { parseArgs } from 'node:util'

/** What every program of the project is told on its command line. */
export type CommandLine =
  | { readonly kind: 'run' | 'validate'; readonly file: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'usage'; readonly message: string }

const USAGE: CommandLine = { kind: 'usage', message: 'usage: -o FILE [--validate] | --version' }

/** Parses `-o FILE`, `--validate`, `--version`. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { o: { type: 'string', short: 'o' }, validate: { type: 'boolean' }, version: { type: 'boolean' } },
    })
    if (values.version === true) return { kind: 'version' }
    if (values.o === undefined || values.o === '') return USAGE
    return { kind: values.validate === true ? 'validate' : 'run', file: values.o }
  } catch (error) {
    if (error instanceof TypeError) return USAGE
    throw error
  }
}
