import { join } from 'node:path'
import type { CommandResult } from '../../tools/cluster/execute.ts'
import { waitUntil } from '../../tools/setup/wait-until.ts'

export type KubectlRunner = { kubectl(args: readonly string[]): Promise<CommandResult> }

const MANIFESTS = join(import.meta.dirname, '../../crds/manifests')
const KINDS = 'llmgateways,routers,processors'

/** Installs the shipped CRDs. Each kind is served when the promise resolves. */
export async function installCrds(server: KubectlRunner): Promise<void> {
  const applied = await server.kubectl(['apply', '-f', MANIFESTS])
  if (applied.code !== 0) throw new Error(`the CRDs were not taken: ${applied.stderr}`)
  // An Established kind may be missing in discovery and answer 404 or 429 for a moment.
  await waitUntil('our kinds', async () => (await server.kubectl(['get', KINDS, '--all-namespaces'])).code === 0)
}
