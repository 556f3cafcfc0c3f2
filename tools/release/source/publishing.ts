import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The places where a release is published, from `publishing.json` in the root. */
export type Publishing = Readonly<Record<(typeof NAMES)[number], string>>

const NAMES = ['registry', 'image', 'npmScope', 'pythonPackage', 'repository', 'site', 'contact'] as const
const FILE = 'publishing.json'

/** Reads `publishing.json`; throws when a name is missing or no text. */
export function readPublishing(root: string): Publishing {
  const found: Readonly<Record<string, unknown>> = JSON.parse(readFileSync(join(root, FILE), 'utf8'))
  const text = (name: (typeof NAMES)[number]): string => {
    const value = found[name]
    if (typeof value !== 'string' || value === '') throw new Error(`release: ${FILE} needs a text for ${name}`)
    return value
  }
  const unknown = Object.keys(found).filter((name) => !NAMES.some((known) => known === name))
  if (unknown.length > 0) throw new Error(`release: ${FILE} has unknown names: ${unknown.join(', ')}`)
  return {
    registry: text('registry'),
    image: text('image'),
    npmScope: text('npmScope'),
    pythonPackage: text('pythonPackage'),
    repository: text('repository'),
    site: text('site'),
    contact: text('contact'),
  }
}
