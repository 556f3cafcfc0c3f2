import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { LeasedMemory } from '../memory/leased-memory.ts'
import { BodyLeases } from './body-leases.ts'

const BODY_BYTES = 16 * 1024 * 1024

/** Both ends of a connection; `far` reads nothing before its `resume`. */
async function connection(): Promise<{ near: Socket; far: Socket; [Symbol.dispose](): void }> {
  const server = createServer({ pauseOnConnect: true })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve))
  const near = connect(address.port, '127.0.0.1')
  near.on('error', () => undefined)
  const far = await accepted
  const dispose = (): void => {
    near.destroy()
    far.destroy()
    server.close()
  }
  return { near, far, [Symbol.dispose]: dispose }
}

const leasedBody = (): { readonly body: Buffer; readonly memory: LeasedMemory } => {
  const body = Buffer.allocUnsafeSlow(BODY_BYTES).fill(1)
  const memory = LeasedMemory.of(body)
  assert.ok(memory)
  return { body, memory }
}

test('a body stays leased until the socket has written its last byte', async () => {
  using pair = await connection()
  const bodies = new BodyLeases()
  const { body, memory } = leasedBody()
  const call = memory.lease()
  bodies.expect(body, memory)
  bodies.track(pair.near)
  pair.near.cork()
  pair.near.write('POST / HTTP/1.1\r\n\r\n', 'latin1')
  pair.near.write(body)
  pair.near.uncork()
  const written = new Promise((resolve) => pair.near.write('end', resolve))
  call.end()
  // The kernel has filled its buffers; the rest waits in this process.
  await new Promise(setImmediate)
  assert.equal(body.length, BODY_BYTES)
  pair.far.resume()
  await written
  assert.equal(body.length, 0)
})

test('each write of one body has a lease of its own', async () => {
  using one = await connection()
  using other = await connection()
  const bodies = new BodyLeases()
  const { body, memory } = leasedBody()
  const call = memory.lease()
  bodies.expect(body, memory)
  const writes = [one, other].map(({ near }) => new Promise((resolve) => bodies.track(near).write(body, resolve)))
  call.end()
  one.far.resume()
  await writes[0]
  assert.equal(body.length, BODY_BYTES)
  other.far.resume()
  await writes[1]
  assert.equal(body.length, 0)
})

test('a body on a connection that breaks is left to the collector', async () => {
  using pair = await connection()
  const bodies = new BodyLeases()
  const { body, memory } = leasedBody()
  const call = memory.lease()
  bodies.expect(body, memory)
  const failed = new Promise((resolve) => bodies.track(pair.near).write(body, resolve))
  call.end()
  pair.near.destroy()
  assert.ok((await failed) instanceof Error)
  assert.equal(body.length, BODY_BYTES)
})

test('writes without a lease are passed on unchanged', async () => {
  using pair = await connection()
  const socket = new BodyLeases().track(pair.near)
  const received: unknown[] = []
  await new Promise<void>((resolve) => socket.write('a', 'latin1', () => resolve()))
  await new Promise<void>((resolve) => socket.write(Buffer.from('b'), () => resolve()))
  socket.write('c')
  pair.far.on('data', (chunk: Buffer) => received.push(chunk.toString()))
  pair.far.resume()
  socket.end()
  await once(pair.far, 'end')
  assert.equal(received.join(''), 'abc')
})
