import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** A server that greets like a bus, answers the first PING, and then repeats a text for ever. */
export type Flood = {
  readonly hostname: string
  readonly port: number
  readonly token: undefined
  /** Waits until that many bytes of the text have been taken, or that many connections have ended. */
  until(bytes: number, ended?: number): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const GREETING = 'INFO {"server_id":"x","version":"2.10.0","proto":1,"max_payload":1000000,"headers":true}\r\n'

/** Starts the server in a thread of its own, whose turns aren't the client's. */
export async function startFlood(text: string, greeting = GREETING): Promise<Flood> {
  const worker = new Worker(SERVER, { eval: true, workerData: { text, greeting } })
  const [port] = await once(worker, 'message')
  return {
    hostname: '127.0.0.1',
    port,
    token: undefined,
    until: async (bytes, ended = Number.POSITIVE_INFINITY) => {
      for (let now = { bytes: 0, ended: 0 }; now.bytes < bytes && now.ended < ended; )
        [now] = await once(worker, 'message')
    },
    [Symbol.asyncDispose]: async () => {
      await worker.terminate()
    },
  }
}

const SERVER = `
  const { parentPort, workerData: { text, greeting } } = require('node:worker_threads')
  const piece = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)))
  const now = { bytes: 0, ended: 0 }
  const server = require('node:net').createServer((socket) => {
    const flood = () => {
      while (!socket.destroyed && socket.write(piece, () => { now.bytes += piece.length }));
      parentPort.postMessage(now)
    }
    socket.on('error', () => undefined).on('drain', flood).write(greeting)
    socket.on('close', () => {
      now.ended += 1
      parentPort.postMessage(now)
    })
    // Later bytes aren't read, so that answers wait.
    socket.on('data', (bytes) => {
      if (!bytes.includes('PING')) return
      socket.removeAllListeners('data')
      socket.pause()
      socket.write('PONG\\r\\n')
      flood()
    })
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`
