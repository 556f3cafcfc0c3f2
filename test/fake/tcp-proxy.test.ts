import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { openRawConnection } from './raw-http.ts'
import { startTcpProxy } from './tcp-proxy.ts'

async function startEcho(): Promise<{ port: number; seen: () => string; close: () => void }> {
  let seen = ''
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', (chunk) => {
      seen += chunk.toString()
      socket.write(chunk)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return { port: address.port, seen: () => seen, close: () => server.close() }
}

test('the proxy passes on held bytes and connections after resume', async () => {
  const echo = await startEcho()
  await using proxy = await startTcpProxy(echo.port)
  using early = await openRawConnection(proxy.port)
  await early.send('one')
  await early.waitFor(/one/)
  proxy.hold()
  using late = await openRawConnection(proxy.port)
  await early.send('two')
  await late.send('three')
  assert.equal(echo.seen(), 'one')
  proxy.resume()
  await early.waitFor(/onetwo/)
  await late.waitFor(/three/)
  assert.equal(proxy.connections, 2)
  echo.close()
})

test('cut resets open connections, and refuse closes the port until listen', async () => {
  const echo = await startEcho()
  await using proxy = await startTcpProxy(echo.port)
  using open = await openRawConnection(proxy.port)
  await open.send('one')
  await open.waitFor(/one/)
  proxy.cut()
  assert.equal((await open.ended()).ended, 'reset')
  await proxy.refuse()
  await assert.rejects(openRawConnection(proxy.port))
  await proxy.listen()
  using again = await openRawConnection(proxy.port)
  await again.send('two')
  await again.waitFor(/two/)
  echo.close()
})
