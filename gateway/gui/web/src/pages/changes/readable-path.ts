import type { FieldPath } from '@llm-gateway/gui-api'
import { textOf, valueAt } from '../../json-value.ts'

/** Returns a readable name of a place in a file: routers are named by their paths, not by their indexes. */
export function readablePath(file: string, path: FieldPath, routers: readonly unknown[]): string {
  const [part, index] = path
  if (path.length === 0) return file
  const isRouter = file === 'gl_config.json' && part === 'routers' && typeof index === 'number'
  const router = isRouter ? (textOf(valueAt(routers, [index, 'path'])) ?? '') : ''
  return router === '' ? path.join('.') : [router, path.slice(2).join('.')].join(' ').trim()
}
