// The bench's LLM: reads a body by Content-Length or chunks and sends a canned completion. This LLM shares a core with
// the load, so it is kept cheap: no HTTP library, no parsing, one write. The process sends its port first, then its
// connection count on request.
import { createServer, type Socket } from 'node:net'
import { BURST, BURST_PATH_MARK, burstEvent } from './burst-answer.ts'
import { COMPLETION, FIRST_EVENT, LATER_EVENTS, SSE_PATH_MARK, SSE_PAUSE_MS } from './canned-answer.ts'
import { onParentMessage, sendToParent } from './parent-messages.ts'

const ANSWER = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(COMPLETION)}\r\n\r\n${COMPLETION}`,
)
const chunked = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const STREAM_START = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(FIRST_EVENT)}`,
)
const STREAM_REST = Buffer.from(`${chunked(LATER_EVENTS)}0\r\n\r\n`)
const BURST_START = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n',
)
const BURST_END = Buffer.from(`${chunked('data: [DONE]\n\n')}0\r\n\r\n`)
/** A burst that lost a caller starts without it after this time. */
const BURST_WAIT_MS = 1_000
const CHUNKED_END = Buffer.from('\r\n0\r\n\r\n')

let connections = 0
let held: Socket[] = []
let burstTimer: NodeJS.Timeout | undefined

/** Holds a call until its burst is complete. */
function addToBurst(socket: Socket): void {
  held.push(socket)
  clearTimeout(burstTimer)
  if (held.length >= BURST.streams) startBurst()
  else burstTimer = setTimeout(startBurst, BURST_WAIT_MS)
}

/** Starts all streams of a burst. They send their events at the same moments and end together. */
function startBurst(): void {
  const sockets = held
  held = []
  let events = 0
  for (const socket of sockets) socket.write(BURST_START)
  const ticker = setInterval(() => {
    events += 1
    for (const socket of sockets) {
      socket.write(chunked(burstEvent()))
      if (events === BURST.events) socket.write(BURST_END)
    }
    if (events === BURST.events) clearInterval(ticker)
  }, BURST.everyMs)
}

const server = createServer({ noDelay: true }, (socket) => {
  connections += 1
  socket.on('error', () => socket.destroy())
  socket.on('data', serve(socket))
})

/** Serves the requests of one connection in sequence. The head may come in pieces; the body is only counted. */
function serve(socket: Socket): (data: Buffer) => void {
  let head: Buffer | undefined
  let left = 0
  let streamed = false
  let inBurst = false
  let tail: Buffer | undefined
  const ended = (): void => {
    if (inBurst) {
      addToBurst(socket)
      return
    }
    if (!streamed) {
      socket.write(ANSWER)
      return
    }
    socket.write(STREAM_START)
    setTimeout(() => socket.write(STREAM_REST), SSE_PAUSE_MS)
  }
  return (data) => {
    if (tail !== undefined) {
      tail = Buffer.concat([tail, data]).subarray(-CHUNKED_END.length)
      if (tail.equals(CHUNKED_END)) {
        tail = undefined
        ended()
      }
      return
    }
    if (left > 0) {
      left -= data.length
      if (left <= 0) ended()
      return
    }
    head = head === undefined ? data : Buffer.concat([head, data])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    const text = head.toString('latin1', 0, end)
    const body = head.subarray(end + 4)
    head = undefined
    const line = text.slice(0, text.indexOf('\r\n'))
    streamed = line.includes(SSE_PATH_MARK)
    inBurst = line.includes(BURST_PATH_MARK)
    if (/\r\ntransfer-encoding: *chunked/i.test(text)) {
      tail = Buffer.concat([Buffer.from('\r\n'), body]).subarray(-CHUNKED_END.length)
      if (!tail.equals(CHUNKED_END)) return
      tail = undefined
      ended()
      return
    }
    left = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? 0) - body.length
    if (left <= 0) ended()
  }
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  sendToParent({ port: address !== null && typeof address === 'object' ? address.port : 0 })
})
onParentMessage(() => sendToParent({ connections }))
