import assert from 'node:assert/strict'
import { test } from 'node:test'
import { valueAt } from '@llm-gateway/kube'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { startGatewayProcess } from '@llm-gateway/test/fake/gateway'
import { startLlm } from '@llm-gateway/test/fake/llm'
import { openRecordStream } from '@llm-gateway/test/fake/record-stream'
import { temporaryFolder } from '@llm-gateway/test/fake/temporary-folder'
import { renderedServers, type Server, TOKEN, untilHealthy } from './bus-cluster-under-test.ts'

const CALLS = 20

// A pod's spool ends with the pod, and records in it would be lost.
test('a gateway that ends while the bus elects another leader hands its records over before', async () => {
  await using folder = await temporaryFolder()
  const servers = await renderedServers(folder.path)
  try {
    await Promise.all(servers.map((server) => server.start()))
    await untilHealthy(servers)
    const bus = { address: `127.0.0.1:${servers[0]?.port}`, token: TOKEN }
    await using llm = await startLlm()
    await using spool = await temporaryFolder()
    const routers = [{ path: '/llm/', outbound: { url: llm.url } }]
    await using gateway = await startGatewayProcess({
      nats: bus,
      config: { routers, spool: { directory: spool.path } },
    })
    await using kept = await openRecordStream(bus)
    const call = async (): Promise<void> => {
      const answer = await fetch(`${gateway.url}/llm/chat/completions`, { method: 'POST', body: '{}' })
      assert.equal(answer.status, 200, await answer.text())
    }
    await call()
    await kept.waitForCount(1)
    // The gateway is connected to the server that stays.
    await using client = await connectBusClient(bus)
    // A stream without a leader doesn't answer.
    const ask = async (verb: string): Promise<unknown> => {
      const asked = client.request(`$JS.API.STREAM.${verb}.records_llm`, Buffer.of(), 1_000)
      return JSON.parse(Buffer.from(await asked.catch(() => Buffer.from('{}'))).toString())
    }
    const victim = async (): Promise<Server | undefined> => {
      const leader = String(valueAt(await ask('INFO'), 'cluster', 'leader'))
      if (leader === 'main-bus-0') await ask('LEADER.STEPDOWN')
      return { 'main-bus-1': servers[1], 'main-bus-2': servers[2] }[leader]
    }
    let leader = await victim()
    while (leader === undefined) leader = await victim()
    await leader.kill()
    for (let made = 0; made < CALLS; made += 1) await call()
    gateway.kill('SIGTERM')
    await gateway.exited
    await kept.waitForCount(1 + CALLS)
  } finally {
    await Promise.all(servers.map((server) => server.kill()))
  }
})
