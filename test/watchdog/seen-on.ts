import type { Socket } from 'node:net'

/** Keeps what comes on a connection. */
export type Seen = {
  /** Everything so far, latin1, as soon as it matches, the connection has ended or the time is over. */
  until(pattern: RegExp, timeoutMs: number): Promise<string>
}

export function seenOn(socket: Socket): Seen {
  let text = ''
  let look = (): void => undefined
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    look()
  })
  return {
    until: (pattern, timeoutMs) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer)
          resolve(text)
        }
        const timer = setTimeout(end, timeoutMs)
        socket.once('close', end)
        look = () => {
          if (pattern.test(text)) end()
        }
        look()
      }),
  }
}
