import {
  type GlConfigCheck,
  type ParsedGlConfig,
  parseGlConfig,
  type References,
  type ValidationErrors,
} from '@llm-gateway/conf'

export type CheckResult = GlConfigCheck | { readonly kind: 'invalid'; readonly validationErrors: ValidationErrors }

/** Checks a file; a fault of the check itself, such as a stack overflow, makes the file invalid. */
export function checkConfig(file: ParsedGlConfig, acceptMissing: boolean): CheckResult {
  const check = attempt(() => file.check({ acceptMissing }))
  return check.kind === 'done' ? check.value : invalidConfig('INTERNAL')
}

/** Opens a file; returns undefined where that fails. `memoryBytes` limits the parsed file. */
export function parseConfig(
  bytes: Uint8Array,
  references: References,
  memoryBytes?: number,
): ParsedGlConfig | undefined {
  const file = attempt(() => parseGlConfig(bytes, references, memoryBytes))
  return file.kind === 'done' ? file.value : undefined
}

function invalidConfig(code: string): CheckResult {
  return { kind: 'invalid', validationErrors: { gl_config: code } }
}

/** Runs a pure function; a thrown error becomes `failed`. */
function attempt<V>(make: () => V): { readonly kind: 'done'; readonly value: V } | { readonly kind: 'failed' } {
  try {
    return { kind: 'done', value: make() }
  } catch {
    return { kind: 'failed' }
  }
}
