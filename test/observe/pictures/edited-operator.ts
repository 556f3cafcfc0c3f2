import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../fake/free-port.ts'
import { DEFAULT_CLASS, startFaultScene } from '../../operator/fault-scene.ts'
import { gatewayOf, namespaceOf, routerOf } from '../../operator/mixed-set.ts'
import { untilStarted } from '../../operator/until-settled.ts'
import type { Target } from '../prometheus.ts'

const EVERY_MS = 2_000

/** Starts an operator on a real API server whose only Router is edited all the time. */
export async function startEditedOperator(): Promise<{ readonly target: Target } & AsyncDisposable> {
  const scene = await startFaultScene()
  const port = await freePort()
  await untilStarted(await scene.startOperator(DEFAULT_CLASS, { port }))
  const { admin } = scene
  await admin.apply(namespaceOf('llm'), gatewayOf('llm', DEFAULT_CLASS))
  let runs = true
  const edit = async (): Promise<void> => {
    for (let count = 0; runs; count += 1) {
      const outbound = { url: `https://res-${count}.example/` }
      await admin.apply(routerOf({ namespace: 'llm', name: 'edited' }, { outbound }))
      await pause(EVERY_MS)
    }
  }
  const editing = edit()
  const target = { url: `http://127.0.0.1:${port}`, labels: { namespace: 'llm-gateway-system', pod: 'operator-0' } }
  return {
    target,
    [Symbol.asyncDispose]: async () => {
      runs = false
      await editing
      await scene.close()
    },
  }
}
