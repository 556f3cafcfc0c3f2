import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '@llm-gateway/conf'
import { startInterface } from '../interface.ts'

/** More than the questions that may wait for the thread of the cluster. */
const PROBES = 200

test('callers without a login that ask for the readiness fill no line of the thread', async () => {
  await using scene = await startScene()
  const probe = async () => (await fetch(`http://127.0.0.1:${scene.port}/readyz`)).status
  while ((await probe()) !== 200) await new Promise((resolve) => setImmediate(resolve))
  const socket = connect(scene.port ?? 0, '127.0.0.1')
  // All requests of one write are begun in one turn.
  socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(PROBES))
  let text = ''
  const count = (part: string) => text.split(part).length - 1
  while (count('HTTP/1.1 ') < PROBES) text += (await once(socket, 'data'))[0]
  socket.destroy()
  assert.equal(count('HTTP/1.1 200'), PROBES)
})

/** Starts the web interface of a cluster whose API server forbids everything. */
async function startScene() {
  const server = createServer((_, response) => {
    response.writeHead(403, { 'content-type': 'application/json' }).end('{"kind":"Status","code":403}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const folder = await mkdtemp(join(tmpdir(), 'readiness-'))
  const [file, kubeconfig] = [join(folder, 'gui_config.json'), join(folder, 'kubeconfig')]
  const address = `http://127.0.0.1:${Object(server.address()).port}`
  await writeFile(
    kubeconfig,
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: address } }],
      users: [{ name: 'u', user: { token: 'token' } }],
    }),
  )
  const kubernetes = { namespace: 'llm', gateway: 'main', read_role: 'ClusterRole/llm-gateway-web-read.llm' }
  const bus = { hostname: '127.0.0.1:1', token: 'token' }
  await writeFile(file, JSON.stringify({ gui_port: 0, service_bus: bus, kubernetes }))
  const started = await startInterface({
    file,
    environment: { GUI_SECRET: 'gui-secret-of-the-readiness', KUBECONFIG: kubeconfig },
    logger: createLogger({ service: 'gui', write: () => undefined }),
    version: '0.0.0',
    places: { node: process.execPath, folders: [] },
    pageFolder: folder,
    hostName: 'this-machine',
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
  })
  return {
    port: started?.port,
    [Symbol.asyncDispose]: async () => {
      await started?.close()
      server.closeAllConnections()
      server.close()
      await rm(folder, { recursive: true })
    },
  }
}
