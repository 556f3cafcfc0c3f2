import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type TrafficScan = {
  /** The port for browsers. */
  readonly port: number
  /** Returns each found name once, and the number of scanned bytes, which proves that there was traffic. */
  found(): { readonly names: readonly string[]; readonly bytes: number }
  close(): Promise<void>
}

/** The framing between two chunks. */
const FRAME = /\r\n[0-9a-f]{1,8}\r\n/g
const MOST_FRAME = 12

/**
 * Forwards to a port of this machine and searches every returned byte for secrets: headers, files, event streams,
 * broken answers and answers that no page read. Secrets are searched plain and in the encodings that an answer may
 * have.
 */
export async function startTrafficScan(
  target: number,
  secrets: Readonly<Record<string, string>>,
): Promise<TrafficScan> {
  const needles = Object.entries(secrets).flatMap(([name, value]) => encodings(value).map((text) => ({ name, text })))
  const kept = Math.max(0, ...needles.map(({ text }) => text.length)) + MOST_FRAME
  const names = new Set<string>()
  const sockets = new Set<Socket>()
  let seen = 0
  const server = createServer((browser) => {
    const gateway = connect(target, '127.0.0.1')
    let rest = ''
    gateway.on('data', (piece) => {
      seen += piece.length
      // A value may be split over two pieces or two HTTP chunks.
      const text = rest + piece.toString('latin1')
      const unframed = text.replaceAll(FRAME, '')
      for (const { name, text: needle } of needles)
        if (text.includes(needle) || unframed.includes(needle)) names.add(name)
      rest = text.slice(-kept)
    })
    for (const [one, other] of [
      [browser, gateway],
      [gateway, browser],
    ] as const) {
      sockets.add(one)
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      // A closed page breaks off its requests.
      one.on('error', () => other.destroy())
      one.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    found: () => ({ names: [...names], bytes: seen }),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Returns the forms of a value: plain, and in base64 at each of three offsets, without the outer characters. */
function encodings(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64url')
      .slice(shift === 0 ? 0 : shift + 1, -2),
  )
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value), bytes.toString('hex'), ...shifted]
}
