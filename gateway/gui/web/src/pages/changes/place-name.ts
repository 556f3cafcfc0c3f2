import type { FieldPath } from '@llm-gateway/gui-api'
import { textOf, valueAt } from '../../json-value.ts'

/** A place in a file as people name it: a router by its path, not by its number. */
export function placeName(file: string, path: FieldPath, routers: readonly unknown[]): string {
  const [part, index] = path
  if (path.length === 0) return file
  const isRouter = file === 'gl_config.json' && part === 'routers' && typeof index === 'number'
  const router = isRouter ? (textOf(valueAt(routers, [index, 'path'])) ?? '') : ''
  return router === '' ? path.join('.') : [router, path.slice(2).join('.')].join(' ').trim()
}
