import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { endpoints } from '@llm-gateway/gui-api'
import { type Scene, startScene } from './fixture/interface-scene.ts'

const MOST_LIVE = 50
const SESSION_MS = 12 * 60 * 60_000

test('at most 50 pages watch at once, also when one connection asks for more before the first answer', async () => {
  await using scene = await startScene()
  const cookie = await logIn(scene)
  const pipe = pipeline(scene.port, cookie, 2 * MOST_LIVE)
  await until(() => pipe.text().includes(': events'))
  // The answers of a connection come one after the other: the session ends, and with it all pages.
  scene.pass(SESSION_MS + 1)
  const count = (part: string) => pipe.text().split(part).length - 1
  await until(() => count('HTTP/1.1 ') === 2 * MOST_LIVE)
  assert.deepEqual([count('HTTP/1.1 200'), count('"TOO_MANY"')], [MOST_LIVE, MOST_LIVE])
  pipe.socket.destroy()
})

test('a connection that closes gives back the places of all pages that it asked for', async () => {
  await using scene = await startScene()
  const cookie = await logIn(scene)
  const left = pipeline(scene.port, cookie, 2 * MOST_LIVE)
  await until(() => left.text().includes(': events'))
  left.socket.destroy()
  await until(async () => {
    const next = pipeline(scene.port, cookie, 1)
    await until(() => next.text().includes('\r\n\r\n'))
    next.socket.destroy()
    return next.text().startsWith('HTTP/1.1 200')
  })
})

async function logIn(scene: Scene): Promise<string> {
  const answer = await scene.ask({ method: 'POST', path: endpoints.login.path, body: { secret: 'gui-secret-5c2f81' } })
  return [answer.headers['set-cookie']]
    .flat()
    .map((cookie) => String(cookie).replace(/;.*/, ''))
    .join('; ')
}

/** Sends requests for the live list on one connection, without a wait for an answer. */
function pipeline(port: number, cookie: string, requests: number): { readonly socket: Socket; text(): string } {
  const request = `GET ${endpoints.live.path} HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  socket.write(request.repeat(requests))
  return { socket, text: () => text }
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await isTrue())) {
    assert.ok(Date.now() < deadline)
    await delay(20)
  }
}
