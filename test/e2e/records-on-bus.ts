import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { KubeScene } from './kube-scene.ts'
import { podsOf } from './pods.ts'

/** The content of the stream of records on a managed bus. */
export type RecordsOnBus = {
  /** Number of servers that keep each record. */
  readonly replicas: number
  readonly messages: number
  /** Serials of the calls in the order of the stream; null for a call without a number. */
  readonly serials: readonly (number | null)[]
}

type RecordStatus = { readonly spool: string; readonly queued_bytes: number; readonly spooled_records: number }

const GATEWAY = 'llmgateway.io/gateway=main'

/** Waits until no gateway drains and the others have sent all their records. */
export async function untilSent(scene: KubeScene, namespace: string): Promise<void> {
  const status = async (pod: string): Promise<RecordStatus> => {
    const path = `/api/v1/namespaces/${namespace}/pods/${pod}:9464/proxy/status`
    return JSON.parse(await scene.kubectl(['get', '--raw', path])).records
  }
  await scene.until('every record on the bus', async () => {
    const pods = await podsOf(scene, namespace, GATEWAY)
    const names = await scene.kubectl(['-n', namespace, 'get', 'pods', '-l', GATEWAY, '-o', 'name'])
    if (names.trim().split('\n').length > pods.length) return undefined
    const all = await Promise.all(pods.map(({ name }) => status(name)))
    const areSent = all.every(
      ({ spool, queued_bytes, spooled_records }) => spool === 'on' && queued_bytes === 0 && spooled_records === 0,
    )
    return areSent ? true : undefined
  })
}

export async function recordsOnBus(scene: KubeScene, namespace: string): Promise<RecordsOnBus> {
  const read = (kind: string, name: string, path: string) =>
    scene.kubectl(['-n', namespace, 'get', kind, name, '-o', `jsonpath={${path}}`])
  const token = Buffer.from(await read('secret', 'main-bus-token', '.data.token'), 'base64').toString()
  const address = `${await read('service', 'main-bus', '.spec.clusterIP')}:4222`
  const program = join(import.meta.dirname, 'kept-serials.ts')
  const { code, stdout, stderr } = await scene.cluster.exec([process.execPath, program, address, token])
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout)
}
