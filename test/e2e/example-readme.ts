import { readFileSync } from 'node:fs'

export type ExampleCommands = {
  /** Commands that a person runs once: Secrets, resources, helm. */
  readonly setup: readonly string[]
  /** Commands that wait, call and look. */
  readonly use: readonly string[]
}

/** If a command contains a fence, the block's own fence is longer. */
const BLOCK = /^(`{3,})sh\n([\s\S]*?)^\1$/gm

/** Returns the commands of an example's README in order, without those that run in the background. */
export function exampleCommands(readme: string): ExampleCommands {
  const blocks = [...readFileSync(readme, 'utf8').matchAll(BLOCK)].map(([, , block = '']) => block)
  const commands = blocks
    .join('')
    .split(/(?<!\\)\n/)
    .filter((command) => command !== '' && !command.endsWith('&'))
  const isSetup = (command: string) => /^(helm|kubectl( -n \S+)? (create|apply)) /.test(command)
  return { setup: commands.filter(isSetup), use: commands.filter((command) => !isSetup(command)) }
}
