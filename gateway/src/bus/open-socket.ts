import { connect, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { readSmallFile } from '@llm-gateway/conf'
import { type BusErrorCode, busErrorCode } from './bus-error-code.ts'
import type { BusServer, TlsFiles } from './bus-server.ts'
import { ServerFrames } from './server-frames.ts'
import { readServerLine, type ServerInfo } from './server-line.ts'

export type SocketOutcome =
  | { readonly kind: 'open'; readonly socket: Socket; readonly info: ServerInfo }
  | { readonly kind: 'failed'; readonly code: BusErrorCode }

/**
 * Opens a socket, reads the server's INFO and makes the TLS handshake where TLS is configured or offered. The returned
 * socket is paused and has an error listener. The signal ends the attempt as BUS_TIMEOUT.
 */
export async function openSocket(server: BusServer, signal: AbortSignal): Promise<SocketOutcome> {
  const socket = connect({ port: server.port, host: server.hostname, noDelay: true })
  try {
    const info = await readInfo(socket, signal)
    if (typeof info === 'string') return failed(socket, info)
    // Every record is published with headers, such as Nats-Msg-Id.
    if (!info.headers) return failed(socket, 'BUS_FAILED')
    if (server.tls === undefined && !info.tls) return { kind: 'open', socket, info }
    if (!info.tls) return failed(socket, 'BUS_TLS')
    const files = await readFiles(server.tls ?? {})
    if (files === undefined) return failed(socket, 'BUS_TLS')
    return { kind: 'open', socket: await secure(socket, { ...files, ...nameToVerify(server.hostname) }, signal), info }
  } catch (error) {
    return failed(socket, signal.aborted ? 'BUS_TIMEOUT' : busErrorCode(error))
  }
}

function failed(socket: Socket, code: BusErrorCode): SocketOutcome {
  socket.destroy()
  return { kind: 'failed', code }
}

/** Reads the server's INFO; a server sends it first and then waits for the client. */
function readInfo(socket: Socket, signal: AbortSignal): Promise<ServerInfo | BusErrorCode> {
  return new Promise((resolve, reject) => {
    const serverFrames = new ServerFrames()
    const settle = (info: ServerInfo | BusErrorCode): void => {
      socket.off('data', onData)
      signal.removeEventListener('abort', onAbort)
      socket.pause()
      resolve(info)
    }
    const onAbort = (): void => settle('BUS_TIMEOUT')
    const onData = (bytes: Buffer): void => {
      const frames = serverFrames.take(bytes)
      const [first] = frames ?? ['']
      if (first === undefined) return
      const line = readServerLine(typeof first === 'string' ? first : '')
      settle(line.kind === 'info' ? line.info : line.kind === 'error' ? line.code : 'BUS_FAILED')
    }
    // The listener stays: a socket error between two phases must not end the process.
    socket.on('error', reject)
    socket.once('close', () => settle('BUS_CLOSED'))
    socket.on('data', onData)
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
  })
}

function secure(socket: Socket, options: ConnectionOptions, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const secured = connectTls({ ...options, socket })
    const onAbort = (): void => void secured.destroy(signal.reason)
    signal.addEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    secured.once('secureConnect', () => {
      signal.removeEventListener('abort', onAbort)
      secured.pause()
      resolve(secured)
    })
    secured.on('error', reject)
    // Without a reason, which only the signal gives, `busErrorCode` returns BUS_CLOSED.
    secured.once('close', () => reject(signal.reason))
  })
}

/** Reads the PEM files; returns undefined where one is unreadable. */
async function readFiles({ caFile, certFile, keyFile }: TlsFiles): Promise<ConnectionOptions | undefined> {
  try {
    return {
      ...(caFile === undefined ? {} : { ca: await readSmallFile(caFile) }),
      ...(certFile === undefined ? {} : { cert: await readSmallFile(certFile) }),
      ...(keyFile === undefined ? {} : { key: await readSmallFile(keyFile) }),
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/** Returns the option that names the host to verify; an IP address is never sent as a server name (RFC 6066). */
function nameToVerify(hostname: string): ConnectionOptions {
  return isIP(hostname) === 0 ? { servername: hostname } : { host: hostname }
}
