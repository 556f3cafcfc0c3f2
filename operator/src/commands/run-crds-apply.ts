import { setTimeout as wait } from 'node:timers/promises'
import { customResourceDefinitions } from '@llm-gateway/crds/definitions'
import { createTransport, type KubeAccess, TransportError } from '@llm-gateway/kube'
import { applyDefinition, type DefinitionOutcome } from './crds/apply-definition.ts'
import type { CommandOutcome } from './run-render.ts'

export type CrdsApplyCommand = {
  /** undefined: the cluster in which the process runs. */
  readonly kubeconfig: string | undefined
}

/** For all CRDs together, since an install must not wait for a hook forever. */
const LIMIT_MS = 60_000
const POLL_MS = 200

/**
 * `operator crds apply`: writes the CRDs of this version to the cluster, before install and upgrade. A CRD that is
 * newer, has another owner or stores a dropped version stays. The output names the CRD, and the command does not fail.
 */
export async function runCrdsApply(
  access: KubeAccess,
  definitions: readonly object[] = customResourceDefinitions(),
): Promise<CommandOutcome> {
  const transport = createTransport({ access })
  const end = performance.now() + LIMIT_MS
  const pause = async (): Promise<boolean> => {
    await wait(POLL_MS)
    return performance.now() < end
  }
  const outcomes: DefinitionOutcome[] = []
  try {
    for (const definition of definitions)
      outcomes.push(await applyDefinition({ request: transport.request, pause }, definition))
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    outcomes.push({ isFine: false, text: `${access.server}: no answer, ${error.code}` })
  } finally {
    await transport.close()
  }
  const linesOf = (isFine: boolean) =>
    outcomes
      .filter((outcome) => outcome.isFine === isFine)
      .map(({ text }) => `${text}\n`)
      .join('')
  return { code: outcomes.every(({ isFine }) => isFine) ? 0 : 1, stdout: linesOf(true), stderr: linesOf(false) }
}
