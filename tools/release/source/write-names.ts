import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Publishing } from './publishing.ts'

/** Placeholders for a registry and a site in hand-written texts. */
const PLACEHOLDERS = { registry: 'registry.example', site: 'llm-gateway.example' } as const
const CHARTS = ['charts/llm-gateway', 'charts/llm-gateway-crds'] as const
/** Values of the chart that a checkout leaves empty. */
const VALUES: readonly { readonly line: RegExp; readonly value: (names: Publishing) => string }[] = [
  { line: /^( {2}registry: )""$/m, value: ({ registry }) => registry },
  { line: /^( {2}repository: )llm-gateway$/m, value: ({ image }) => image },
  { line: /^(documentationUrl: )""$/m, value: ({ site }) => `${site}/docs` },
]

/**
 * Writes registry, repository and site into the hand-written files of a staged checkout, before files are generated
 * from them.
 */
export function writeNames(stage: string, names: Publishing): void {
  const edit = (file: string, change: (text: string) => string): void => {
    const path = join(stage, file)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
  }
  edit('charts/llm-gateway/values.yaml', (text) =>
    VALUES.reduce((edited, { line, value }) => replaced(edited, line, `$1${JSON.stringify(value(names))}`), text),
  )
  for (const folder of CHARTS)
    edit(`${folder}/Chart.yaml`, (text) => `${text}home: ${names.site}\nsources: [${names.repository}]\n`)
  edit('package.json', (text) => {
    const manifest = { ...JSON.parse(text), homepage: names.site, repository: { type: 'git', url: names.repository } }
    return `${JSON.stringify(manifest, undefined, 2)}\n`
  })
}

/** Replaces the placeholders in a text by the names of `publishing.json`. */
export function withNames(text: string, names: Publishing): string {
  return text
    .replaceAll(PLACEHOLDERS.registry, names.registry)
    .replaceAll(PLACEHOLDERS.site, names.site.replace(/^https?:\/\//, ''))
}

function replaced(text: string, place: RegExp, by: string): string {
  if (!place.test(text)) throw new Error(`release: no line matches ${place}`)
  return text.replace(place, by)
}
