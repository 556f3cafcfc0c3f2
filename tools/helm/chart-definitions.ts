import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where a chart has them: helm installs `crds/` once, and renders what a template reads from `files/`. */
const FOLDERS = ['charts/llm-gateway/crds', 'charts/llm-gateway-crds/files'] as const

/** The CRDs of both charts: path from the root → text, the generated one of `crds/manifests`. */
export function chartDefinitions(root: string): ReadonlyMap<string, string> {
  const manifests = join(root, 'crds/manifests')
  const texts = readdirSync(manifests).map((file) => [file, readFileSync(join(manifests, file), 'utf8')] as const)
  return new Map(FOLDERS.flatMap((folder) => texts.map(([file, text]) => [`${folder}/${file}`, text] as const)))
}
