import { type CommandOptions, runCommand } from '../setup/run-command.ts'

/** Runs a program to its end; rejects with what it said where it fails. */
export async function must(command: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  const { ok, output } = await runCommand(command, args, options)
  if (!ok) throw new Error(`${command} ${args.slice(0, 4).join(' ')}: ${output}`)
  return output
}
