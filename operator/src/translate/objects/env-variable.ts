import type { EnvEntry } from '@llm-gateway/crds'

/** An entry as a container has it. Kubernetes would take `$(NAME)` for a reference of its own; here only `${NAME}` is one (kubernetes, 2.1). */
export function envVariable({ name, value = '', valueFrom }: EnvEntry): object {
  if (valueFrom !== undefined) return { name, valueFrom }
  // `$$` is how it writes a `$`: all of them, or none where it would see nothing.
  return { name, value: /\$[$(]/.test(value) ? value.replaceAll('$', () => '$$') : value }
}
