import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/** Below the range from which systems assign ports, so no server on port 0 and no client can take one. */
const [FIRST, END] = [12_000, 30_000]
/** More ports than are in use on any machine that can run a test. */
const MOST_TRIES = 200

/** Returns a free port of 127.0.0.1 for a program that can't report its own. The port is reserved for this process. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < MOST_TRIES; tried += 1) {
    const port = FIRST + Math.floor(Math.random() * (END - FIRST))
    if ((await claimPort(port)) && (await canListen(port))) return port
  }
  throw new Error(`no free port in ${MOST_TRIES} tries`)
}

/** Claims a port by a UDP socket of the same number: other claims fail until this process ends. */
function claimPort(port: number): Promise<boolean> {
  const claim = createSocket('udp4').unref()
  return new Promise((resolve) => {
    claim.once('error', () => {
      claim.close()
      resolve(false)
    })
    claim.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })
}

function canListen(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
