import { type GlCheck, type GlFile, openGlConfig, type References, type ValidationErrors } from '@llm-gateway/conf'

export type Verdict = GlCheck | { readonly kind: 'invalid'; readonly validationErrors: ValidationErrors }

/** Any bytes get a verdict, those that break the check itself (its stack, say) too. */
export function judge(file: GlFile, acceptMissing: boolean): Verdict {
  const check = attempt(() => file.check({ acceptMissing }))
  return check.kind === 'done' ? check.value : invalidFile('INTERNAL')
}

/** The same for reading them; `memoryBytes` is what the parsed file may take. */
export function openFile(bytes: Uint8Array, references: References, memoryBytes?: number): GlFile | undefined {
  const file = attempt(() => openGlConfig(bytes, references, memoryBytes))
  return file.kind === 'done' ? file.value : undefined
}

export function invalidFile(code: string): Verdict {
  return { kind: 'invalid', validationErrors: { gl_config: code } }
}

/** For what is pure: that it throws is all there is to know. */
function attempt<V>(make: () => V): { readonly kind: 'done'; readonly value: V } | { readonly kind: 'failed' } {
  try {
    return { kind: 'done', value: make() }
  } catch {
    return { kind: 'failed' }
  }
}
