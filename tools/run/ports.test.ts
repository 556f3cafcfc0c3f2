import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { busPort, gatewayPort, neededPorts, takenPorts, takenPortsMessage } from './ports.ts'

const files: ReadonlyArray<
  readonly [gl: string | undefined, bus: string | undefined, ports: readonly [number, number]]
> = [
  [undefined, undefined, [5380, 4222]],
  ['{}', '# port: 1\n', [5380, 4222]],
  ['{"gl_port": 6001}', 'port: 6002', [6001, 6002]],
  ['{"gl_port":"6001"}', 'listen: 0.0.0.0:6002\n', [6001, 6002]],
  [
    '{"gl_port": "$' + '{PORT}"}',
    'server_name: x\n  listen = "127.0.0.1:6002"\njetstream { max_mem: 64MB }',
    [5380, 6002],
  ],
]
for (const [gl, bus, ports] of files) {
  test(`the ports of gl_config.json ${gl} and nats-server.conf ${JSON.stringify(bus)} are ${ports.join(' and ')}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'run-ports-'))
    if (gl !== undefined) writeFileSync(join(folder, 'gl_config.json'), gl)
    if (bus !== undefined) writeFileSync(join(folder, 'nats-server.conf'), bus)
    assert.deepEqual([gatewayPort(folder), busPort(folder)], ports)
    rmSync(folder, { recursive: true })
  })
}

for (const host of ['0.0.0.0', '127.0.0.1', '::']) {
  test(`a port with a listener at ${host} is taken until the listener ends`, async () => {
    const server = createServer().listen(0, host)
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const used = { port, file: 'a.json', key: 'port' }
    assert.deepEqual(await takenPorts([used]), [used])
    server.close()
    await once(server, 'close')
    assert.deepEqual(await takenPorts([used]), [])
  })
}

test('the message for a taken port of the bus names the setting by which the other programs find the bus', () => {
  const [gateway, bus] = neededPorts('conf')
  const message = (ports: Parameters<typeof takenPortsMessage>[0]) => takenPortsMessage(ports, (path) => `.run/${path}`)
  assert.ok(gateway !== undefined && bus !== undefined)
  assert.match(message([bus]), /^port 4222 is in use by another program \(listen in \.run\/conf\/nats-server\.conf\)$/m)
  assert.match(message([bus]), /service_bus\.hostname .*GATEWAY_HOST/s)
  assert.match(
    message([gateway]),
    /^port 5380 is in use by another program \(gl_port in \.run\/conf\/gl_config\.json\)$/m,
  )
  assert.doesNotMatch(message([gateway]), /bus/)
})
