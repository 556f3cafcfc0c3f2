import { join } from 'node:path'
import type { KubeScene } from '../e2e/kube-scene.ts'
import type { Plan } from './driver.ts'

const PORT = 8001

/** A plan without the address that the driver's surroundings add. */
export type PlanWithoutApi = Plan extends infer One ? (One extends Plan ? Omit<One, 'api'> : never) : never

/** Runs the driver in the cluster's network, with the API as plain HTTP. Returns the measurements. */
export async function runDriver({ cluster }: KubeScene, order: PlanWithoutApi, timeoutMs: number): Promise<unknown> {
  const plan = JSON.stringify({ ...order, api: `http://127.0.0.1:${PORT}` })
  const isUp = `curl -sS -o /dev/null http://127.0.0.1:${PORT}/healthz 2>/dev/null`
  const waits = `while kill -0 $p && ! ${isUp}; do sleep 0.2; done`
  const script = `kubectl proxy --port=${PORT} >/dev/null & p=$!; ${waits}; "$0" "$@"; r=$?; kill $p; exit $r`
  const driver = [process.execPath, join(import.meta.dirname, 'driver.ts'), plan]
  const { code, stdout, stderr } = await cluster.exec(['sh', '-c', script, ...driver], { timeoutMs })
  if (code !== 0) throw new Error(`the driver failed: ${stderr}`)
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
}
