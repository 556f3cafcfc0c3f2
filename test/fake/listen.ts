import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:net'

/** Opens a free port of 127.0.0.1 and returns it. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return address.port
}
