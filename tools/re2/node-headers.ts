import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The folder that holds `include/node` of exactly this Node, as node-gyp's `nodedir`; undefined where there is none and
 * node-gyp must fetch the headers itself. The npm packages of Node's binary carry them, so do Node's own archives and images.
 */
export function findNodeHeaders(executable: string, version: string): string | undefined {
  const folder = dirname(dirname(realpathSync(executable)))
  return headersVersion(folder) === version.replace(/^v/, '') && isComplete(folder) ? folder : undefined
}

function isComplete(folder: string): boolean {
  return ['node.h', 'v8.h', 'common.gypi', 'config.gypi'].every((name) =>
    existsSync(join(folder, 'include/node', name)),
  )
}

function headersVersion(folder: string): string | undefined {
  const file = join(folder, 'include/node/node_version.h')
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  const part = (name: string) => new RegExp(`^#define NODE_${name}_VERSION (\\d+)`, 'm').exec(text)?.[1]
  return ['MAJOR', 'MINOR', 'PATCH'].map(part).join('.')
}
