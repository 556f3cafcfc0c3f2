import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer, request } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { Certificate } from '../fake/certificates.ts'
import { Journal } from '../fake/journal.ts'
import { type ApiCall, parseApiCall } from './api-call.ts'

/** The fault that a request meets. */
export type Fault =
  /** The API server never gets the request. */
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers?: Record<string, string>
      readonly body?: unknown
    }
  | { readonly kind: 'delay'; readonly ms: number }
  /** The connection breaks; `after` means after the API server's answer. */
  | { readonly kind: 'drop'; readonly where: 'before' | 'after' }
  /** Holds the request before the API server, or the answer before the client, until the promise resolves. */
  | {
      readonly kind: 'hold'
      readonly where: 'before' | 'after'
      readonly reached: () => void
      readonly until: Promise<'pass' | 'drop'>
    }

/** Decides on each request, oldest rule first; undefined leaves it to the next rule. */
export type FaultRule = (call: ApiCall) => Fault | undefined | Promise<Fault | undefined>

export type Received = { readonly call: ApiCall; readonly at: number }
export type Answered = Received & { readonly status: number }

/** A proxy between one client and the API server. */
export type ApiProxy = {
  readonly url: string
  /** The requests with their times on performance.now(). */
  readonly received: Journal<Received>
  /** The calls with the times at which their answers began. */
  readonly answered: Journal<Answered>
  /** Adds a rule. The returned function removes it. */
  add(rule: FaultRule): () => void
  /** Ends all watches, as a lost connection does. */
  cutWatches(): void
  close(): Promise<void>
}

export type ApiProxyOptions = {
  readonly server: {
    readonly url: string
    /** PEM. */
    readonly authority: string
  }
  readonly certificate: Certificate
}

/** Starts an HTTPS proxy on 127.0.0.1. The proxy passes requests on unchanged. */
export async function startApiProxy({ server, certificate }: ApiProxyOptions): Promise<ApiProxy> {
  const agent = new Agent({ ca: server.authority, keepAlive: true })
  const rules = new Set<FaultRule>()
  const watches = new Set<ServerResponse>()
  const received = new Journal<Received>(100_000)
  const answered = new Journal<Answered>(100_000)

  const pass = async (call: ApiCall, incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const fault = await faultOf(rules, call)
    if (fault?.kind === 'answer') return answer(call, fault, response)
    if (fault?.kind === 'drop' && fault.where === 'before') return void response.destroy()
    if (fault?.kind === 'delay') await pause(fault.ms, undefined, { ref: false })
    if (fault?.kind === 'hold' && fault.where === 'before' && !(await passes(fault))) return void response.destroy()
    if (response.destroyed) return
    const upstream = await forward(incoming)
    if (fault?.kind === 'drop') return void response.destroy()
    if (fault?.kind === 'hold' && fault.where === 'after' && !(await passes(fault))) return void response.destroy()
    answered.add({ call, at: performance.now(), status: upstream.statusCode ?? 0 })
    response.writeHead(upstream.statusCode ?? 502, upstream.headers)
    // The body of a watch begins with its first event, which may come a minute later.
    response.flushHeaders()
    if (call.verb === 'watch') watches.add(response)
    response.once('close', () => {
      watches.delete(response)
      upstream.destroy()
    })
    upstream.once('error', () => response.destroy())
    upstream.pipe(response)
  }
  const answer = (
    call: ApiCall,
    { status, headers = {}, body = {} }: Fault & { kind: 'answer' },
    to: ServerResponse,
  ) => {
    answered.add({ call, at: performance.now(), status })
    to.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
  const forward = (incoming: IncomingMessage): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { method, url, headers } = incoming
      const call = request(new URL(url ?? '/', server.url), { method, headers, agent }, resolve)
      call.once('error', reject)
      incoming.once('error', () => call.destroy())
      incoming.pipe(call)
    })

  const listener = createServer(
    { cert: certificate.certificate, key: certificate.privateKey },
    (incoming, response) => {
      const call = parseApiCall(incoming.method ?? '', incoming.url ?? '/', incoming.headers['user-agent'] ?? '')
      received.add({ call, at: performance.now() })
      // A killed client breaks its connections, and a killed API server breaks the proxy's.
      response.on('error', () => undefined)
      pass(call, incoming, response).catch(() => response.destroy())
    },
  )
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP address')
  return {
    url: `https://127.0.0.1:${address.port}`,
    received,
    answered,
    add: (rule) => {
      rules.add(rule)
      return () => void rules.delete(rule)
    },
    cutWatches: () => {
      for (const response of watches) response.destroy()
    },
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve())
        listener.closeAllConnections()
        agent.destroy()
      }),
  }
}

async function faultOf(rules: ReadonlySet<FaultRule>, call: ApiCall): Promise<Fault | undefined> {
  for (const rule of rules) {
    const fault = await rule(call)
    if (fault !== undefined) return fault
  }
  return undefined
}

async function passes({ reached, until }: Fault & { kind: 'hold' }): Promise<boolean> {
  reached()
  return (await until) === 'pass'
}
