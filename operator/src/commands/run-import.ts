import { readFileSync } from 'node:fs'
import { importGlConfig } from './import/import-gl-config.ts'
import type { ImportTarget } from './import/import-part.ts'
import { yamlStream } from './render/write-rendered.ts'
import type { CommandOutcome } from './run-render.ts'

export type ImportCommand = ImportTarget & { readonly file: string }

const HEAD = '# Made from a gl_config.json. Fill in what is empty, then apply.\n'

/**
 * `operator import`: gl_config.json → resources as YAML. Settings that no resource can hold are named on stderr
 * (docs/reference/kubernetes.md#commands).
 */
export function runImport({ file, name, namespace }: ImportCommand): CommandOutcome {
  const bytes = read(file)
  if (bytes === undefined) return { code: 1, stdout: '', stderr: `${file}: can not be read\n` }
  const outcome = importGlConfig(bytes, { name, namespace })
  if (outcome.kind === 'broken')
    return { code: 1, stdout: '', stderr: lines(outcome.errors.map((error) => `${file}: ${error}`)) }
  return { code: 0, stdout: HEAD + yamlStream(outcome.resources), stderr: lines(outcome.notes) }
}

function read(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join('')
}
