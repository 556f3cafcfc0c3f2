import { createServer, type Socket } from 'node:net'

/** A call at the LLM API, which may be answered with any bytes. */
export type RawCall = {
  readonly socket: Socket
  /** Request line and headers, latin1. */
  readonly head: string
  /** Writes at the receiver's pace; false once the connection is gone. */
  write(bytes: Uint8Array | string): Promise<boolean>
}

export type RawScript = (call: RawCall) => void | Promise<void>

export type RawLlmOptions = {
  /** `head` runs the script before the body and leaves the body unread; default `body`. */
  readonly on?: 'head' | 'body'
}

/** An LLM API on raw sockets that may break every rule of HTTP. */
export type RawLlm = {
  readonly port: number
  readonly url: string
  /** Answers calls whose path begins with the segment `name`, until `end()` of the result. */
  answer(name: string, script: RawScript, how?: RawLlmOptions): ScriptedCalls
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** The calls of one script. */
export type ScriptedCalls = {
  readonly calls: number
  /** The most calls under way at one moment. */
  readonly mostAtOnce: number
  end(): void
}

type Entry = { script: RawScript; on: 'head' | 'body'; calls: number; underWay: number; mostAtOnce: number }

export async function startRawLlm(): Promise<RawLlm> {
  const scripts = new Map<string, Entry>()
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    new RawRequests(socket, scripts)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  const close = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    answer: (name, script, { on = 'body' } = {}) => {
      const entry = { script, on, calls: 0, underWay: 0, mostAtOnce: 0 }
      scripts.set(name, entry)
      return {
        get calls() {
          return entry.calls
        },
        get mostAtOnce() {
          return entry.mostAtOnce
        },
        end: () => void scripts.delete(name),
      }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const CHUNKED_END = Buffer.from('\r\n0\r\n\r\n')

/** Reads the requests of one connection. Bodies are counted and dropped. */
class RawRequests {
  readonly #socket: Socket
  readonly #scripts: ReadonlyMap<string, Entry>
  #head: Buffer | undefined
  #call: { entry: Entry | undefined; text: string } | undefined
  #left = 0
  #tail: Buffer | undefined

  constructor(socket: Socket, scripts: ReadonlyMap<string, Entry>) {
    this.#socket = socket
    this.#scripts = scripts
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
  }

  #take(chunk: Buffer): void {
    if (this.#call !== undefined) {
      this.#takeBody(chunk)
      return
    }
    this.#head = this.#head === undefined ? chunk : Buffer.concat([this.#head, chunk])
    const end = this.#head.indexOf('\r\n\r\n')
    if (end < 0) return
    const text = this.#head.toString('latin1', 0, end)
    const rest = this.#head.subarray(end + 4)
    this.#head = undefined
    const entry = this.#scripts.get(/^\S+ \/([^/? ]*)/.exec(text)?.[1] ?? '')
    this.#call = { entry, text }
    if (entry?.on === 'head') {
      this.#socket.pause()
      void this.#run()
      return
    }
    if (/\r\ntransfer-encoding: *chunked/i.test(text)) this.#tail = Buffer.from('\r\n')
    else this.#left = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? 0)
    this.#takeBody(rest)
  }

  #takeBody(chunk: Buffer): void {
    if (this.#call?.entry?.on === 'head') return
    if (this.#tail !== undefined) {
      this.#tail = Buffer.concat([this.#tail, chunk]).subarray(-CHUNKED_END.length)
      if (!this.#tail.equals(CHUNKED_END)) return
      this.#tail = undefined
    } else {
      this.#left -= chunk.length
      if (this.#left > 0) return
    }
    void this.#run()
  }

  /** Runs the script. A failed script ends its connection, which the gateway's answer shows. */
  async #run(): Promise<void> {
    const call = this.#call
    if (call === undefined) return
    const { entry, text } = call
    if (entry === undefined) {
      this.#socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')
      this.#call = undefined
      return
    }
    entry.calls += 1
    entry.underWay += 1
    entry.mostAtOnce = Math.max(entry.mostAtOnce, entry.underWay)
    const socket = this.#socket
    try {
      await entry.script({ socket, head: text, write: (bytes) => writeBytes(socket, bytes) })
    } catch {
      socket.destroy()
    }
    entry.underWay -= 1
    this.#call = undefined
  }
}

function writeBytes(socket: Socket, bytes: Uint8Array | string): Promise<boolean> {
  if (socket.destroyed) return Promise.resolve(false)
  return new Promise((resolve) => {
    const gone = (): void => resolve(false)
    socket.once('close', gone)
    socket.write(bytes, (error) => {
      socket.off('close', gone)
      resolve(error === undefined || error === null)
    })
  })
}
