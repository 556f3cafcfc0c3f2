import type { CommandOutcome } from './run-render.ts'

export type ImportCommand = {
  readonly file: string
  /** Of the LLMGateway. */
  readonly name: string
  readonly namespace: string
}

/** `operator import`: gl_config.json → resources as YAML (kubernetes, 5). */
export function runImport({ file }: ImportCommand): CommandOutcome {
  return { code: 1, stdout: '', stderr: `${file}: not yet\n` }
}
