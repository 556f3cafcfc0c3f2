import { join } from 'node:path'
import { makeOnce } from '../image/parts/make-once.ts'
import type { Part } from '../image/parts/part.ts'
import { run } from '../image/parts/run.ts'
import { previousCheckout } from './previous-checkout.ts'

/**
 * Builds the previous version's image, `llm-gateway:previous`, with that version's own tools, as an OCI archive that is
 * kept.
 */
export async function previousImage(root: string, environment: NodeJS.ProcessEnv): Promise<Part> {
  const checkout = await previousCheckout(root, environment)
  if (checkout.kind === 'unavailable') return checkout
  const { folder, commit } = checkout
  const path = join(root, '.tools/previous', commit, 'image.tar')
  const main = join(folder, 'tools/image/main.ts')
  const reason = await makeOnce(path, (half) =>
    run(process.execPath, [main, '--out', half, '--name', 'llm-gateway:previous'], { cwd: folder, environment }),
  )
  return reason === undefined ? { kind: 'ready', path } : { kind: 'unavailable', reason }
}
