import { once } from 'node:events'
import { createServer } from 'node:net'

/** Ports of 127.0.0.1 that were free a moment ago, no two alike. */
export async function freePorts(count: number): Promise<readonly number[]> {
  // All are held before one is let go: the kernel can't give the same port twice.
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no TCP address')
    return address.port
  })
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
