import { type CommandOptions, runCommand } from '../../setup/run-command.ts'

/** Runs a program to its end; returns its name and the last line of its output when it failed. */
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
