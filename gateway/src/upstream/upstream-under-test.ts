import type { Server, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { listen } from '@llm-gateway/test/fake/listen'
import { MemoryAccount, MemoryShare } from '../memory/memory-account.ts'
import { createUndiciUpstream, type UpstreamOptions } from './undici-upstream.ts'
import type { CancelSignal, Upstream, UpstreamRequest } from './upstream.ts'

/** The signal of a caller that stays. */
export const STAYS: CancelSignal = { cancelled: false, onCancel: () => undefined }

/** A request without a body, whose times in milliseconds are all `timeoutMs`. */
export function requestTo(origin: string, timeoutMs: number): UpstreamRequest {
  return {
    origin,
    path: '/',
    method: 'GET',
    headers: new Map(),
    body: undefined,
    memory: undefined,
    account: new MemoryAccount(1_000_000).open('/llm/', new MemoryShare()),
    headersTimeoutMs: timeoutMs,
    silenceTimeoutMs: timeoutMs,
  }
}

/** Creates an upstream that trusts each certificate. */
export function upstreamUnderTest(options: Partial<UpstreamOptions>): Upstream {
  const tls = { rejectUnauthorized: false, ca: [] }
  const defaults = { connectTimeoutMs: 60_000, maxHeaderBytes: 65_536, tls, deny: undefined, proxyFor: undefined }
  return createUndiciUpstream({ ...defaults, ...options })
}

/** Opens a server's port until the test's end, which destroys its connections. */
export async function listenUntilEnd(t: TestContext, server: Server): Promise<number> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket.on('error', () => undefined))
    socket.on('close', () => open.delete(socket))
  })
  t.after(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return await listen(server)
}
