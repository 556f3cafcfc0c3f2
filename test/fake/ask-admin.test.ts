import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { askAdmin } from './ask-admin.ts'
import { listen } from './listen.ts'

test('a question is asked again where its connection was cut, and each has its own connection', async () => {
  const ports: (number | undefined)[] = []
  const server = createServer((request, response) => {
    ports.push(request.socket.remotePort)
    if (ports.length === 2) request.socket.resetAndDestroy()
    else response.end(request.url)
  })
  const adminUrl = `http://127.0.0.1:${await listen(server)}`
  try {
    assert.equal(await askAdmin({ adminUrl }, '/status'), '/status')
    assert.equal(await askAdmin({ adminUrl }, '/metrics'), '/metrics')
    assert.equal(new Set(ports).size, 3)
  } finally {
    server.close()
  }
})

test('a port at which nobody listens is an error after some tries', async () => {
  await assert.rejects(askAdmin({ adminUrl: 'http://127.0.0.1:1' }, '/status'), { message: 'fetch failed' })
})
