import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import versions from '../../versions.json' with { type: 'json' }
import { makeOnce } from './make-once.ts'
import type { ImageBuild, Part } from './part.ts'
import type { Platform } from './platform.ts'
import { run } from './run.ts'

/** Returns the folder of a platform's pinned Node, with `bin/node`, its headers and its licence. */
export async function nodePackage({ root, environment }: ImageBuild, platform: Platform): Promise<Part> {
  const pin = versions.node.packages[platform.node]
  const own = join(root, '.tools/node/node_modules', pin.name)
  // The setup has checked this package against the same pin.
  if (versionOf(own) === pin.version) return { kind: 'ready', path: own }
  const path = join(root, '.tools/image/node', `${pin.name}-${pin.version}`)
  const reason = await makeOnce(path, async (half) => {
    mkdirSync(half, { recursive: true })
    const args = ['pack', `${pin.name}@${pin.version}`, '--silent', '--pack-destination', half]
    const failed = await run('npm', args, { environment })
    if (failed !== undefined) return failed
    const archive = join(half, readdirSync(half)[0] ?? '')
    const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
    if (found !== pin.integrity) return `${pin.name}@${pin.version} is not the file that was pinned`
    return await run('tar', ['-xzf', archive, '-C', half, '--strip-components=1', 'package'], { environment })
  })
  return reason === undefined ? { kind: 'ready', path } : { kind: 'unavailable', reason }
}

function versionOf(folder: string): string | undefined {
  const file = join(folder, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined
}
