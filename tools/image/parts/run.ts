import { type CommandOptions, runCommand } from '../../setup/run-command.ts'

/** Runs a program to its end; undefined, or the last line of what it said behind its name. */
export async function run(
  command: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<string | undefined> {
  const { ok, output } = await runCommand(command, args, options)
  return ok ? undefined : lastLine(command, output)
}

export function lastLine(command: string, output: string): string {
  return `${command}: ${output.slice(output.lastIndexOf('\n') + 1)}`
}
