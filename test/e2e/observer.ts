import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'

/**
 * Runs in a pod, beside the gateway: the LLM API behind the Routers, a reader of records and a caller. It needs nothing
 * but Node, so that it can be mounted from a ConfigMap. argv: the bus's host and token, where records are to be read.
 *
 * `/llm/…` answers with what it was sent in X-Serial and Authorization. `/seen` and `/records` are the last of each.
 * `/load?url=…&callers=…` calls that url again and again until `/load/stop`; `/load/result` counts.
 */
const PORT = 8099
const MOST = 1_000

type Seen = { readonly url: string; readonly serial: string; readonly key: string }
type Load = {
  calls: number
  readonly failed: Map<string, number>
  /** Calls with a configuration newer than its key. */
  torn: number
  /** Serials of the configurations that were seen. */
  readonly configurations: Set<number>
  stop: boolean
}

const seen: Seen[] = []
const records: string[] = []
const load: Load = { calls: 0, failed: new Map(), torn: 0, configurations: new Set(), stop: true }

function answerLlm(request: IncomingMessage): string {
  const one = {
    url: request.url ?? '',
    serial: String(request.headers['x-serial'] ?? ''),
    key: String(request.headers.authorization ?? ''),
  }
  seen.push(one)
  if (seen.length > MOST) seen.shift()
  return JSON.stringify(one)
}

/** Configuration and key carry serials; a configuration that is newer than its key is torn. */
function judge(text: string): void {
  const { serial, key } = JSON.parse(text)
  const configured = Number(serial)
  const value = Number(/(\d+)$/.exec(key)?.[1])
  load.configurations.add(configured)
  if (!(value >= configured)) load.torn += 1
}

async function callAgain(url: string): Promise<void> {
  while (!load.stop) {
    const outcome = await callOnce(url)
    load.calls += 1
    if (outcome !== '200') load.failed.set(outcome, (load.failed.get(outcome) ?? 0) + 1)
  }
}

async function callOnce(url: string): Promise<string> {
  try {
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    const text = await answer.text()
    if (answer.status === 200) judge(text)
    return String(answer.status)
  } catch (error) {
    return error instanceof Error ? error.message : 'failed'
  }
}

function startLoad(query: URLSearchParams): string {
  Object.assign(load, { calls: 0, torn: 0, stop: false })
  load.failed.clear()
  load.configurations.clear()
  for (let caller = 0; caller < Number(query.get('callers') ?? '1'); caller += 1) {
    void callAgain(query.get('url') ?? '') // callOnce tells failures by its answer
  }
  return 'started'
}

function result(): string {
  const { calls, failed, torn, configurations } = load
  return JSON.stringify({ calls, failed: Object.fromEntries(failed), torn, configurations: configurations.size })
}

function route(request: IncomingMessage): string | undefined {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://observer')
  if (pathname.startsWith('/llm/')) return answerLlm(request)
  switch (pathname) {
    case '/seen':
      return JSON.stringify(seen)
    case '/records':
      return `[${records.join(',')}]`
    case '/load':
      return startLoad(searchParams)
    case '/load/stop':
      load.stop = true
      return result()
    case '/load/result':
      return result()
    default:
      return undefined
  }
}

/** The bus's own protocol, as little of it as reading takes: records are one line of JSON. */
function readRecords(): void {
  const [host = '', token = ''] = process.argv.slice(2)
  if (host === '') return
  const socket = connect(4222, host)
  let text = ''
  socket.on('connect', () => {
    socket.write(`CONNECT ${JSON.stringify({ verbose: false, headers: true, auth_token: token })}\r\n`)
    socket.write('SUB llm.gl.logger 1\r\n')
  })
  socket.on('data', (chunk) => {
    text += chunk.toString()
    const lines = text.split('\r\n')
    text = lines.pop() ?? ''
    for (const line of lines) {
      if (line === 'PING') socket.write('PONG\r\n')
      if (line.startsWith('{"')) records.push(line)
    }
    records.splice(0, Math.max(0, records.length - MOST))
  })
  const again = () => setTimeout(readRecords, 500)
  socket.on('error', () => socket.destroy())
  socket.on('close', again)
}

// Longer than the gateway keeps a connection: what it sends must not meet a closing one.
const KEEP_ALIVE_MS = 120_000

createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  request.resume()
  request.on('end', () => {
    const text = route(request)
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(text)
  })
}).listen(PORT)
readRecords()
