import { connect, type Socket } from 'node:net'

export type RawResult = {
  readonly bytes: Buffer
  /** latin1 */
  readonly text: string
  /** The end by the other side: FIN, RST, or none within the time. */
  readonly ended: 'close' | 'reset' | 'timeout'
}

/** A TCP connection that sends given bytes and keeps the bytes that it receives. */
export type RawConnection = {
  readonly socket: Socket
  /** All received bytes as latin1. */
  readonly received: string
  /** Resolves when the system has taken the bytes. */
  send(bytes: Uint8Array | string): Promise<void>
  /** Resolves with all received text once it matches. Rejects if the connection ends or time is up. */
  waitFor(pattern: RegExp, timeoutMs?: number): Promise<string>
  ended(timeoutMs?: number): Promise<RawResult>
  close(): void
  [Symbol.dispose](): void
}

export async function openRawConnection(
  port: number,
  options: { readonly allowHalfOpen?: boolean } = {},
): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: options.allowHalfOpen ?? false })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  const chunks: Buffer[] = []
  const listeners = new Set<() => void>()
  let ended: 'close' | 'reset' | undefined
  const changed = (): void => {
    for (const listener of [...listeners]) listener()
  }
  const end = (how: 'close' | 'reset'): void => {
    ended ??= how
    changed()
  }
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    changed()
  })
  socket.on('error', () => end('reset'))
  socket.on('end', () => end('close'))
  socket.on('close', () => end('close'))

  const received = (): string => Buffer.concat(chunks).toString('latin1')
  const until = (done: () => boolean, timeoutMs: number): Promise<boolean> =>
    new Promise((resolve) => {
      const settle = (result: boolean): void => {
        clearTimeout(timer)
        listeners.delete(check)
        resolve(result)
      }
      const check = (): void => {
        if (done()) settle(true)
      }
      const timer = setTimeout(() => settle(false), timeoutMs)
      listeners.add(check)
      check()
    })
  const close = (): void => {
    socket.destroy()
  }
  return {
    socket,
    get received() {
      return received()
    },
    send: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => (error ? reject(error) : resolve()))
      }),
    waitFor: async (pattern, timeoutMs = 60_000) => {
      await until(() => pattern.test(received()) || ended !== undefined, timeoutMs)
      const text = received()
      if (!pattern.test(text)) throw new Error(`no ${pattern} (${ended ?? 'timeout'}) in ${text.slice(0, 2_000)}`)
      return text
    },
    ended: async (timeoutMs = 60_000) => {
      await until(() => ended !== undefined, timeoutMs)
      const bytes = Buffer.concat(chunks)
      return { bytes, text: bytes.toString('latin1'), ended: ended ?? 'timeout' }
    },
    close,
    [Symbol.dispose]: close,
  }
}

/** Sends bytes on a new connection. Returns the received bytes when the other side ends it or after `timeoutMs`. */
export async function rawExchange(port: number, bytes: Uint8Array | string, timeoutMs = 60_000): Promise<RawResult> {
  using connection = await openRawConnection(port)
  // The other side may end before it has read everything; its answer still counts.
  await connection.send(bytes).catch(() => undefined)
  return await connection.ended(timeoutMs)
}
