import type { Environment } from '@llm-gateway/conf'

const NAME = /\$\{?([A-Za-z_][A-Za-z0-9_]*)/g
const BEGINS_URL = /"url"\s*:\s*"\$\{?([A-Za-z_][A-Za-z0-9_]*)/g

/** A value for each variable that a file refers to, different for each, an address for those that begin one. */
export function placeholdersOf(text: string): { readonly environment: Environment } {
  const addresses = new Set([...text.matchAll(BEGINS_URL)].map(([, name = '']) => name))
  const names = [...new Set([...text.matchAll(NAME)].map(([, name = '']) => name))].sort()
  return {
    environment: Object.fromEntries(
      names.map((name, index) => [name, addresses.has(name) ? `https://v${index}.example/` : `v${index}`]),
    ),
  }
}
