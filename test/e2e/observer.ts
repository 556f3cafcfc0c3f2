import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Runs in a pod beside the gateway: the LLM API behind the Routers, a reader of records and a caller. The program needs
 * only Node, so that a ConfigMap can hold it. argv: the bus's host and token, if the program reads records.
 *
 * `/llm/…` answers with the X-Serial and Authorization of the request. `/seen` and `/records` return the last of each.
 * `/load?url=…` calls that URL until `/load/stop`; `/load/result` returns the counts. `callers=…` sets a number of
 * callers, `rate=…` calls a second regardless of answers. `name=…` distinguishes several loads. `bytes=…` numbers the
 * calls and sets the size of their bodies; `/load/answered` returns the numbers of the answered calls.
 */
const PORT = 8099
const MOST = 1_000
const MOST_OPEN = 1_000
const CALL_MS = 60_000
const SLOW_MS = 2_000
const REACHED_MS = 30_000
const QUESTION = '{"messages":[{"role":"user","content":"Hi"}]}'

type Seen = { readonly url: string; readonly serial: string; readonly key: string }
type Failure = { readonly at: string; readonly outcome: string }
type Load = {
  readonly url: string
  /** Size of a body; 0 means QUESTION, without numbers. */
  readonly bytes: number
  /** The number of the latest call. */
  serial: number
  readonly answered: number[]
  calls: number
  /** Number of calls that wait for their answer. */
  open: number
  /** Number of calls that took longer than SLOW_MS. */
  slow: number
  readonly failed: Map<string, number>
  /** Number of calls with a configuration newer than their key. */
  torn: number
  /** Serials of the configurations that were seen. */
  readonly configurations: Set<number>
  /** The latest failures with their times. */
  readonly failures: Failure[]
  stop: boolean
}

const seen: Seen[] = []
const records: string[] = []
const loads = new Map<string, Load>()

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

/** Counts a torn call: its configuration has a higher serial than its key. */
function countAnswer(load: Load, text: string): void {
  const { serial, key } = JSON.parse(text)
  const configured = Number(serial)
  const value = Number(/(\d+)$/.exec(key)?.[1])
  load.configurations.add(configured)
  if (!(value >= configured)) load.torn += 1
}

async function callAgain(load: Load): Promise<void> {
  while (!load.stop) await call(load)
}

async function callAtRate(load: Load, rate: number): Promise<void> {
  const began = performance.now()
  for (let made = 0; !load.stop; ) {
    const isDue = began + (made * 1000) / rate <= performance.now()
    if (isDue && load.open < MOST_OPEN) {
      void call(load) // The counts of the load include its failure.
      made += 1
    } else await wait(1)
  }
}

async function call(load: Load): Promise<void> {
  const began = performance.now()
  load.open += 1
  const outcome = await callOnce(load)
  load.open -= 1
  if (performance.now() - began > SLOW_MS) load.slow += 1
  load.calls += 1
  if (outcome === '200') return
  load.failed.set(outcome, (load.failed.get(outcome) ?? 0) + 1)
  load.failures.push({ at: new Date().toISOString(), outcome })
  if (load.failures.length > MOST) load.failures.shift()
}

async function callOnce(load: Load): Promise<string> {
  load.serial += 1
  const { url, serial, bytes } = load
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: bytes === 0 ? QUESTION : numberedBody(serial, bytes),
      signal: AbortSignal.timeout(CALL_MS),
    })
    const text = await answer.text()
    if (answer.status !== 200) return `${answer.status} ${errorCode(text)}`
    countAnswer(load, text)
    if (bytes > 0) load.answered.push(serial)
    return '200'
  } catch (error) {
    if (!(error instanceof Error)) return 'failed'
    const { cause } = error
    return cause instanceof Error && 'code' in cause ? `${error.message}: ${cause.code}` : error.message
  }
}

/** Returns a body that begins with its number, so that the number survives a cut payload in a record. */
function numberedBody(serial: number, bytes: number): string {
  const body = (filler: string) => JSON.stringify({ serial, filler })
  return body('x'.repeat(Math.max(0, bytes - body('').length)))
}

/** Returns the gateway's error code if the gateway failed. */
function errorCode(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? ''
}

function startLoad(query: URLSearchParams): string {
  const name = query.get('name') ?? ''
  const earlier = loads.get(name)
  if (earlier !== undefined) earlier.stop = true
  const counts = {
    calls: 0,
    open: 0,
    slow: 0,
    failed: new Map(),
    torn: 0,
    configurations: new Set<number>(),
    failures: [],
  }
  const numbers = { bytes: Number(query.get('bytes') ?? '0'), serial: 0, answered: [] }
  const load: Load = { url: query.get('url') ?? '', ...numbers, ...counts, stop: false }
  loads.set(name, load)
  const rate = Number(query.get('rate') ?? '0')
  const callers = rate > 0 ? 0 : Number(query.get('callers') ?? '1')
  void waitForTarget(load).then(() => {
    if (rate > 0) void callAtRate(load, rate) // callOnce never rejects
    for (let caller = 0; caller < callers; caller += 1) void callAgain(load) // call never rejects
  })
  return 'started'
}

/** Waits for the first accepted call: kube-proxy's rules for a Service may come a moment after its ready pods. */
async function waitForTarget(load: Load): Promise<void> {
  const end = performance.now() + REACHED_MS
  while (!load.stop && performance.now() < end && (await callOnce(load)).endsWith('ECONNREFUSED')) await wait(20)
}

function result(load: Load): string {
  const { calls, open, slow, failed, torn, configurations, failures } = load
  const counts = { calls, open, slow, failed: Object.fromEntries(failed), torn, configurations: configurations.size }
  return JSON.stringify({ ...counts, failures })
}

function resultOf(query: URLSearchParams, stop: boolean): string | undefined {
  const load = loads.get(query.get('name') ?? '')
  if (load === undefined) return undefined
  if (stop) load.stop = true
  return result(load)
}

function route(request: IncomingMessage): string | undefined {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://observer')
  if (pathname.startsWith('/llm/')) return answerLlm(request)
  switch (pathname) {
    case '/ready':
      return '{}'
    case '/seen':
      return JSON.stringify(seen)
    case '/records':
      return `[${records.join(',')}]`
    case '/load':
      return startLoad(searchParams)
    case '/load/stop':
      return resultOf(searchParams, true)
    case '/load/result':
      return resultOf(searchParams, false)
    case '/load/answered':
      return JSON.stringify(loads.get(searchParams.get('name') ?? '')?.answered ?? [])
    default:
      return undefined
  }
}

/** Reads records with a minimal client of the bus's protocol; a record is one line of JSON. */
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

// Longer than the gateway keeps a connection, so that its calls never meet a closing connection.
const KEEP_ALIVE_MS = 120_000

createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
  request.resume()
  request.on('end', () => {
    const text = route(request)
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(text)
  })
}).listen(PORT)
readRecords()
