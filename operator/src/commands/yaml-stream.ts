import { stringify } from 'yaml'

/** Writes documents for kubectl, which reads YAML 1.1: there a plain `off` is false, and is quoted as a text. */
export function yamlStream(documents: readonly unknown[]): string {
  const options = { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' } as const
  return documents.map((one) => stringify(one, options)).join('---\n')
}
