import type { EnvEntry } from '@llm-gateway/crds'

/**
 * Writes an entry for a container. Kubernetes would take `$(NAME)` for a reference; here only `${NAME}` is one
 * (docs/reference/kubernetes.md#variables).
 */
export function envVariable({ name, value = '', valueFrom }: EnvEntry): object {
  if (valueFrom !== undefined) return { name, valueFrom }
  // `$$` is how it writes a `$`: all of them, or none where it would see nothing.
  return { name, value: /\$[$(]/.test(value) ? value.replaceAll('$', () => '$$') : value }
}
