import { checkGlConfig, type GlCheck, type ValidationErrors } from '@llm-gateway/conf'
import type { ReadConfig } from './read-config.ts'

export type Verdict = GlCheck | { readonly kind: 'invalid'; readonly validationErrors: ValidationErrors }

/** Any bytes get a verdict, those that break the check itself (its stack, say) too. */
export function judge({ bytes, references }: ReadConfig, acceptMissing: boolean): Verdict {
  const check = attempt(() => checkGlConfig(bytes, references, { acceptMissing }))
  return check.kind === 'done' ? check.value : { kind: 'invalid', validationErrors: { gl_config: 'INTERNAL' } }
}

/** For what is pure: that it throws is all there is to know. */
export function attempt<V>(make: () => V): { readonly kind: 'done'; readonly value: V } | { readonly kind: 'failed' } {
  try {
    return { kind: 'done', value: make() }
  } catch {
    return { kind: 'failed' }
  }
}
