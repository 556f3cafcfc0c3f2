import { readFileSync } from 'node:fs'

export type ExampleCommands = {
  /** What a person does once: Secrets, resources, helm. */
  readonly setup: readonly string[]
  /** What waits, calls and looks. */
  readonly use: readonly string[]
}

/** Where a command holds a fence, the block's own is longer. */
const BLOCK = /^(`{3,})sh\n([\s\S]*?)^\1$/gm

/** The commands of an example's README, for `sh`, in their order; without those that stay in the background. */
export function exampleCommands(readme: string): ExampleCommands {
  const blocks = [...readFileSync(readme, 'utf8').matchAll(BLOCK)].map(([, , block = '']) => block)
  const commands = blocks
    .join('')
    .split(/(?<!\\)\n/)
    .filter((command) => command !== '' && !command.endsWith('&'))
  const isSetup = (command: string) => /^(helm|kubectl( -n \S+)? (create|apply)) /.test(command)
  return { setup: commands.filter(isSetup), use: commands.filter((command) => !isSetup(command)) }
}
