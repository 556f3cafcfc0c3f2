import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpServer, type Server, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer, Server as HttpsServer } from 'node:https'
import cookie from '@fastify/cookie'
import type { Logger } from '@llm-gateway/conf'
import { type Edition, endpoints, mostBody, openApi, type Session, type SessionState } from '@llm-gateway/gui-api'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { type Access, type Cookies, type Credentials, sessionState } from './access/access.ts'
import { refusalLog } from './access/refusal-log.ts'
import { isForeignRequest, isOwnHost } from './access/request-origin.ts'
import { type BytesRoute, type Caller, type Failed, failed, type Route } from './answer.ts'
import { AnswerRoom, type RoomLimits } from './answer-room.ts'
import { BodyBudget } from './body-budget.ts'
import { type ConnectionLimit, limitConnections } from './connection-limit.ts'
import { dropBody, hasUnreadBody } from './drop-body.ts'
import { failureOf, logFault } from './failure-of.ts'
import { leftSignal } from './left-signal.ts'
import { NOT_BUILT_HTML, NOT_BUILT_MESSAGE, NOT_BUILT_RETRY_SECONDS, type Page } from './page/page.ts'
import { securityHeaders } from './page/security-headers.ts'
import { readBody } from './read-body.ts'
import { JSON_TYPE, sendFailure, sendText } from './send-answer.ts'
import { sendEvents } from './send-events.ts'
import { smallJson } from './small-json.ts'

export type Certificate = { readonly cert: string; readonly key: string }

export type ServerOptions = {
  readonly access: Access
  /** All routes but those of the session, which the server adds itself. */
  readonly routes: readonly Route[]
  readonly bytesRoutes: readonly BytesRoute[]
  readonly page: Page
  /** Accepted names in `Host`, in lower case. Localhost and addresses are always accepted. */
  readonly allowedHosts: ReadonlySet<string>
  readonly logger: Logger
  readonly version: string
  readonly edition: Edition
  /** Returns whether the content is there, for the readiness probe. */
  readonly ready: () => Promise<boolean>
  /** undefined means no TLS. */
  readonly certificate: Certificate | undefined
  /** Other bounds of the answers that are being sent, for tests. */
  readonly room?: Partial<RoomLimits>
}

export type WebServer = {
  /** Resolves with the port in use. Rejects when the port can't be opened. */
  listen(port: number): Promise<number>
  /** Takes effect for new connections. */
  replaceCertificate(certificate: Certificate): void
  close(): Promise<void>
}

/** Bytes of all bodies of logged-in callers that are being read or worked on. */
const MOST_BODIES = 96 * 1024 * 1024
const MOST_CONNECTIONS = 500
const TIMES = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
}

/**
 * Creates the web server: it checks the origin and login of requests, reads their parts and sends answers and failures.
 */
export async function createServer(options: ServerOptions): Promise<WebServer> {
  const { certificate } = options
  const settings = { ...TIMES, maxHeaderSize: 32 * 1024 }
  const http =
    certificate === undefined ? createHttpServer(settings) : createHttpsServer({ ...settings, ...certificate })
  const connections = limitConnections(http, MOST_CONNECTIONS)
  const app = fastify({
    logger: false,
    requestTimeout: TIMES.requestTimeout,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 200 },
    frameworkErrors: (_, __, reply: FastifyReply) =>
      void sendFailure(reply, failed('BAD_REQUEST', 'The address is malformed.')),
    serverFactory: (handler) =>
      http.on('request', (request, response) => {
        if (app.supportedMethods.includes(request.method ?? '')) handler(request, response)
        else refuseMethod(response)
      }),
  })
  await app.register(cookie)
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(securityHeaders({ tls: certificate !== undefined }))
    // Probes are exempt: the kubelet sends the pod's address or a configured name, and the answers reveal nothing.
    const refused = isProbe(request) ? undefined : foreignRequest(request, options.allowedHosts)
    if (refused !== undefined) await sendFailure(reply, refused)
  })
  // Handlers read the bodies that their endpoints take, after the check of the login; Fastify reads none.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, __, done) => done(null))
  app.addHook('onSend', async ({ raw }, reply) => {
    if (!hasUnreadBody(raw)) return
    void reply.header('connection', 'close')
    dropBody(raw)
  })
  app.setErrorHandler((error, { method, routeOptions }, reply) =>
    sendFailure(reply, failureOf(error, `${method} ${routeOptions.url}`, options.logger)),
  )
  app.setNotFoundHandler((request, reply) => servePage(options, request, reply))
  // Written once: the text takes 25 ms, and anybody may ask for it.
  // A buffer, which all answers share: a string is copied for each caller, who may read it slowly.
  const description = Buffer.from(JSON.stringify(openApi(options.version, options.edition)))
  app.get('/api/v1/openapi.json', async (_, reply) => reply.type(JSON_TYPE).send(description))
  addSession(app, options)
  addProbes(app, options)
  const place = {
    options,
    admits: admission(options.access, connections),
    budget: new BodyBudget(MOST_BODIES),
    room: new AnswerRoom(options.room),
  }
  for (const route of options.routes) addRoute(app, route, place)
  for (const route of options.bytesRoutes) addBytesRoute(app, route, place)
  await app.ready()
  return {
    listen: (port) => listen(http, port),
    replaceCertificate: (next) => {
      if (http instanceof HttpsServer) http.setSecureContext(next)
    },
    close: async () => {
      const closed = new Promise((resolve) => http.close(resolve))
      http.closeAllConnections()
      await app.close()
      if (http.listening) await closed
    },
  }
}

/** Fastify would build a text of all its routes for each request with a method that no route has. */
function refuseMethod(response: ServerResponse): void {
  response.writeHead(405, { connection: 'close' }).end()
}

type Admission = {
  /** Runs before the body is read, so that callers who are not admitted use no memory. */
  readonly onRequest: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  /** undefined when `onRequest` has refused the request. */
  caller(request: FastifyRequest): Caller | undefined
}

function admission(access: Access, connections: ConnectionLimit): Admission {
  const callers = new WeakMap<FastifyRequest, Caller>()
  return {
    onRequest: async (request, reply) => {
      const admitted = access.admit(credentialsOf(request))
      if (admitted.kind === 'failed') return await sendFailure(reply, admitted)
      callers.set(request, admitted.caller)
      connections.markLoggedIn(request.raw.socket)
    },
    caller: (request) => callers.get(request),
  }
}

type RoutePlace = {
  readonly options: ServerOptions
  readonly admits: Admission
  readonly budget: BodyBudget
  readonly room: AnswerRoom
}

function addRoute(app: FastifyInstance, route: Route, { options, admits, budget, room }: RoutePlace): void {
  const { method, path } = route.endpoint
  const { onRequest, caller: callerOf } = admits
  app.route({
    method,
    url: path,
    onRequest,
    handler: async (request, reply) => {
      const caller = callerOf(request)
      if (caller === undefined) return await sendFailure(reply, NOT_LOGGED_IN)
      const { params: parameters, query, raw } = request
      const answer = await budget.work(
        { request: raw, most: mostBody(route.endpoint), caller: caller.ended },
        async (bytes) => {
          const body = await smallJson(bytes)
          if (body.kind === 'failed') return body
          const answer = await route.answer({
            parameters,
            query,
            body: body.value,
            caller,
            left: leftSignal(reply.raw),
          })
          if (answer.kind !== 'events') return answer
          reply.hijack()
          reply.raw.writeHead(200, { ...headersOf(reply), ...EVENT_HEADERS })
          await sendEvents(reply.raw, answer.run, caller.ended).catch((error) => logFault(error, options.logger))
          return answer
        },
      )
      if (answer.kind === 'failed') return await sendFailure(reply, answer)
      if (answer.kind === 'events') return
      const text = Buffer.from(JSON.stringify(answer.value))
      return await sendText({ request, reply, room, caller }, { status: 200, text })
    },
  })
}

const NOT_LOGGED_IN = failed('NOT_LOGGED_IN', 'Log in first.')

function addBytesRoute(app: FastifyInstance, route: BytesRoute, { admits, budget, room }: RoutePlace): void {
  const { method, path } = route.endpoint
  const { onRequest, caller: callerOf } = admits
  app.route({
    method,
    url: path,
    onRequest,
    handler: async (request, reply) => {
      const caller = callerOf(request)
      if (caller === undefined) return await sendFailure(reply, NOT_LOGGED_IN)
      const { params: parameters, query, raw } = request
      const answer = await budget.work({ request: raw, most: mostBody(route.endpoint), caller: caller.ended }, (body) =>
        route.answer({ parameters, query, body, caller }),
      )
      if (answer.kind === 'failed') return await sendFailure(reply, answer)
      return await sendText({ request, reply, room, caller }, answer)
    },
  })
}

const EVENT_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}
const SESSION_COOKIE = 'gateway_session'
const BROWSER_COOKIE = 'gateway_browser'
const BROWSER_SECONDS = 90 * 24 * 60 * 60

function addSession(app: FastifyInstance, options: ServerOptions): void {
  const { access, certificate } = options
  const sessionOf = (state: SessionState): Session => ({ edition: options.edition, ...state })
  const refuse = refusalLog(options.logger, () => performance.now())
  const setting = { path: '/', httpOnly: true, sameSite: 'strict', secure: certificate !== undefined } as const
  app.get(endpoints.session.path, async (request) =>
    sessionOf(access.session(idsOf(request.cookies), isUnattended(request))),
  )
  app.route({
    method: 'POST',
    url: endpoints.login.path,
    handler: async (request, reply) => {
      // Anybody may send a login: each connection holds one small body, and the connections are bounded.
      const read = await readBody(request.raw, mostBody(endpoints.login))
      const body = read.kind === 'read' ? await smallJson(read.bytes) : read
      if (body.kind === 'failed') return await sendFailure(reply, body)
      const parsed = endpoints.login.body.safeParse(body.value)
      if (!parsed.success) return await sendFailure(reply, failed('BAD_REQUEST', 'Send {"secret": …, "name": …}.'))
      const { secret, name } = parsed.data
      const entry = access.logIn(secret, name, idsOf(request.cookies))
      if (entry.kind === 'failed') {
        refuse(entry.code)
        return await sendFailure(reply, entry)
      }
      return await reply
        .setCookie(SESSION_COOKIE, entry.id, setting)
        .setCookie(BROWSER_COOKIE, entry.browserId, { ...setting, path: endpoints.login.path, maxAge: BROWSER_SECONDS })
        .send(sessionOf(sessionState(entry.session)))
    },
  })
  app.route({
    method: 'DELETE',
    url: endpoints.logout.path,
    onRequest: async (request, reply) => {
      const admitted = access.admit(credentialsOf(request))
      if (admitted.kind === 'failed') await sendFailure(reply, admitted)
    },
    handler: async (request, reply) => {
      access.logOut(request.cookies[SESSION_COOKIE])
      return await reply
        .clearCookie(SESSION_COOKIE, setting)
        .send(sessionOf(access.session({ ...idsOf(request.cookies), sessionId: undefined }, true)))
    },
  })
}

function idsOf(cookies: FastifyRequest['cookies']): Cookies {
  return { sessionId: cookies[SESSION_COOKIE], browserId: cookies[BROWSER_COOKIE] }
}

const PROBES = { alive: '/healthz', ready: '/readyz' } as const

function isProbe({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url === PROBES.alive || routeOptions.url === PROBES.ready
}

/** Adds the probes of the kubelet, which need no login. */
function addProbes(app: FastifyInstance, { ready }: ServerOptions): void {
  app.get(PROBES.alive, async (_, reply) => reply.type('text/plain').send('ok\n'))
  app.get(PROBES.ready, async (_, reply) => {
    const isReady = await ready().catch(() => false)
    return await reply
      .code(isReady ? 200 : 503)
      .type('text/plain')
      .send(isReady ? 'ok\n' : 'not ready\n')
  })
}

function isUnattended({ headers }: FastifyRequest): boolean {
  return headers['x-unattended'] !== undefined
}

function credentialsOf(request: FastifyRequest): Credentials {
  const { headers, cookies, method } = request
  const token = headers['x-csrf-token']
  return {
    sessionId: cookies[SESSION_COOKIE],
    authorization: headers.authorization,
    csrfToken: typeof token === 'string' ? token : undefined,
    isReading: method === 'GET',
    isUnattended: isUnattended(request),
  }
}

function foreignRequest(
  { headers, url, routeOptions }: FastifyRequest,
  allowed: ReadonlySet<string>,
): Failed | undefined {
  if (!isOwnHost(headers.host, allowed))
    return failed(
      'HOST_NOT_ALLOWED',
      'The web interface does not accept this host name. Add the name to allowed_hosts in gui_config.json, or use the machine’s address.',
    )
  // Other sites may link to a page, but requests to the API must come from the page itself. `routeOptions` finds the
  // API however its address is escaped.
  if ((routeOptions.url !== undefined || url.startsWith('/api')) && isForeignRequest(headers))
    return failed('FOREIGN_REQUEST', 'Another site sent this request.')
  return undefined
}

async function servePage({ page, certificate }: ServerOptions, request: FastifyRequest, reply: FastifyReply) {
  const [path = ''] = request.url.split('?', 1)
  const found = page.file(path)
  if (path.startsWith('/api'))
    return await sendFailure(reply, failed('NOT_FOUND', 'There is no page or endpoint at this address.'))
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return await sendFailure(reply, failed('NOT_FOUND', 'Pages accept only GET and HEAD.'))
  if (found !== undefined && path !== '/index.html') {
    const caching = found.hashed ? 'public, max-age=31536000, immutable' : 'no-cache'
    void reply.headers({ 'content-type': found.type, etag: found.etag, 'cache-control': caching })
    if (request.headers['if-none-match'] === found.etag) return await reply.code(304).send()
    return await reply.send(found.bytes)
  }
  if (/\.[a-z0-9]+$/i.test(path) && path !== '/index.html')
    return await sendFailure(reply, failed('NOT_FOUND', 'There is no such file.'))
  // Every other path is a page of the web interface, /login included.
  const nonce = randomBytes(16).toString('base64')
  const html = page.document(nonce)
  if (html === undefined && !acceptsHtml(request)) return await sendFailure(reply, PAGE_NOT_BUILT)
  if (html === undefined) void reply.code(503).header('retry-after', String(NOT_BUILT_RETRY_SECONDS))
  void reply.headers({
    ...securityHeaders({ tls: certificate !== undefined, nonce }),
    'content-type': 'text/html; charset=utf-8',
  })
  return await reply.send(html ?? NOT_BUILT_HTML)
}

const PAGE_NOT_BUILT = failed('PAGE_NOT_BUILT', NOT_BUILT_MESSAGE, { retry_after_seconds: NOT_BUILT_RETRY_SECONDS })

/** Returns whether the caller takes HTML. A script that asks for JSON alone does not. */
function acceptsHtml({ headers }: FastifyRequest): boolean {
  return !headers.accept?.includes('application/json') || headers.accept.includes('text/html')
}

function headersOf(reply: FastifyReply): Record<string, string> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]))
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port)
  // Leaves no listener behind, however often a taken port is tried.
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
