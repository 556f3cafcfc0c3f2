const ROUTER = /^gl_config\.Routers\[(\d+)\]/
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/**
 * Returns a line for each set of missing variables with the routers that gl rejected for them; other reasons are in
 * gl's warning. `rejectedFields`: the warning's fields, by path; `configuration`: the text of their file.
 */
export function routersOff(
  rejectedFields: object,
  configuration: string,
  environment: NodeJS.ProcessEnv,
): readonly string[] {
  const entries = routersIn(JSON.parse(configuration))
  const rejected = new Set(Object.keys(rejectedFields).map((field) => ROUTER.exec(field)?.[1]))
  const paths = new Map<string, readonly string[]>()
  for (const [index, entry] of entries.entries()) {
    if (!rejected.has(`${index}`)) continue
    const names = [...JSON.stringify(entry).matchAll(REFERENCE)].map(([, name = '']) => name)
    const unset = [...new Set(names)].filter((name) => (environment[name] ?? '') === '').sort()
    if (unset.length > 0) paths.set(unset.join(', '), [...(paths.get(unset.join(', ')) ?? []), pathOf(entry)])
  }
  return [...paths].map(([names, off]) => `Off: ${off.join(', ')} (${names} unset)`)
}

function routersIn(file: unknown): readonly unknown[] {
  const isFile = typeof file === 'object' && file !== null && 'routers' in file
  return isFile && Array.isArray(file.routers) ? file.routers : []
}

function pathOf(entry: unknown): string {
  const hasPath = typeof entry === 'object' && entry !== null && 'path' in entry
  return hasPath && typeof entry.path === 'string' ? entry.path : ''
}
