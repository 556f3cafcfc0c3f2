import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { REVISION_KEY } from '../../model/names.ts'
import type { Rendered, RenderedGateway } from './render.ts'

/** File mode of values, which are secrets. */
const OWNER_ONLY = 0o600

/**
 * Writes `<namespace>/<gateway>/` with gl_config.json, unless no file fits, objects.yaml and statuses.yaml, and
 * orphans.yaml where there are orphans. With `values` it also writes the folder values/, a SECRETS_DIR for that file.
 * Other files stay. Returns the cause of a failure.
 */
export function writeRendered(folder: string, { gateways, orphans }: Rendered, values: boolean): string | undefined {
  try {
    for (const gateway of gateways) writeGateway(join(folder, gateway.namespace, gateway.name), gateway, values)
    if (orphans.length > 0) write(folder, 'orphans.yaml', yamlStream(orphans))
    return undefined
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    return `${folder}: can not be written (${error.code})`
  }
}

function writeGateway(folder: string, { glConfig, objects, statuses, values }: RenderedGateway, all: boolean): void {
  if (glConfig !== '') write(folder, 'gl_config.json', glConfig)
  write(folder, 'objects.yaml', yamlStream(objects))
  write(folder, 'statuses.yaml', yamlStream(statuses))
  if (!all) return
  for (const [name, text] of [...values, [REVISION_KEY, '1'] as const]) write(join(folder, 'values'), name, text)
}

function write(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), text, { mode: OWNER_ONLY })
}

/** Writes documents for kubectl, which reads YAML 1.1: there a plain `off` is false, and is quoted as a text. */
export function yamlStream(documents: readonly unknown[]): string {
  const options = { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' } as const
  return documents.map((document) => stringify(document, options)).join('---\n')
}
