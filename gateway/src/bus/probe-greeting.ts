import { connect } from 'node:net'

/**
 * Resolves with true where a server at the address sends data within the time; closes the socket before it resolves.
 */
export function probeGreeting(
  address: { readonly hostname: string; readonly port: number },
  timeoutMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address.port, address.hostname)
    const end = (greeted: boolean): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(greeted)
    }
    const timer = setTimeout(() => end(false), timeoutMs)
    socket.once('data', () => end(true))
    socket.once('error', () => end(false))
    socket.once('close', () => end(false))
  })
}
