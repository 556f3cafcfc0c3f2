import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

/** Below the ports that systems hand out themselves: a server on port 0 or a client can't take one in between. */
const [FIRST, END] = [12_000, 30_000]
/** More than are taken on any machine that can still run a test. */
const MOST_TRIES = 200

/** A port of 127.0.0.1 for a program that can't say which one it picked; no other test gets it while this process runs. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < MOST_TRIES; tried += 1) {
    const port = FIRST + Math.floor(Math.random() * (END - FIRST))
    if ((await claimed(port)) && (await listens(port))) return port
  }
  throw new Error(`no free port in ${MOST_TRIES} tries`)
}

/** A UDP socket on the same number is the claim: whoever else asks for this port fails, and it ends with this process. */
function claimed(port: number): Promise<boolean> {
  const claim = createSocket('udp4').unref()
  return new Promise((resolve) => {
    claim.once('error', () => {
      claim.close()
      resolve(false)
    })
    claim.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true))
  })
}

function listens(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
