import { stringify } from 'yaml'

/** Documents as kubectl reads them: it takes YAML 1.1, to which a plain `off` is false. */
export function yamlStream(documents: readonly unknown[]): string {
  const options = { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' } as const
  return documents.map((one) => stringify(one, options)).join('---\n')
}
