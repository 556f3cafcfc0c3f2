import type { Attack, AttackTools } from '../attack.ts'
import { answerHead, KIB, LAST_CHUNK, SMALL_ANSWER } from '../bodies.ts'

const BOUNDED = 'the cost of headers depends on their bytes, not on their content'
const BOUNDED_HEADERS = 'caches of header names and values have a bound in bytes'
/** Below header_bytes (64 KiB), including the parts that every call has. */
const MOST = 58 * KIB
/** Allowance for compiled code and grown buffers. */
const KEPT_MIB = 64

type Headers = Readonly<Record<string, string | readonly string[]>>

/** A series of calls with their headers, made one after another on four connections. */
type Call = {
  readonly name: string
  readonly rule: string
  readonly calls: number
  readonly headers: (index: number) => Headers
}

const CALLS: readonly Call[] = [
  { name: '59 KB of headers that Connection lists', rule: BOUNDED, calls: 4, headers: () => listed() },
  {
    name: 'Accept-Encoding of 58 KB',
    rule: BOUNDED,
    calls: 8,
    headers: () => ({ 'Accept-Encoding': repeated('*,', MOST) }),
  },
  {
    name: 'Accept-Encoding of 58 KB of weights',
    rule: BOUNDED,
    calls: 8,
    headers: () => ({ 'Accept-Encoding': repeated('gzip;q=0.1,', MOST) }),
  },
  {
    name: '160 distinct Accept-Encodings of 58 KB',
    rule: BOUNDED_HEADERS,
    calls: 160,
    headers: (index) => ({ 'Accept-Encoding': `${repeated('*,', MOST)}x${index}` }),
  },
  {
    name: '160 times 600 new header names',
    rule: BOUNDED_HEADERS,
    calls: 160,
    headers: (index) => headersNamed(600, (at) => `X-${index}-${at}-${'n'.repeat(50)}`),
  },
  {
    name: '100 header names of 50 KB',
    rule: BOUNDED_HEADERS,
    calls: 100,
    headers: (index) => ({ [`X${index}${'n'.repeat(50 * KIB)}`]: '1' }),
  },
  {
    name: '1,900 times one header',
    rule: BOUNDED,
    calls: 8,
    headers: () => ({ 'X-Same': Array.from({ length: 1_900 }, () => '1') }),
  },
  {
    name: 'Session-Id of 50 KB of digits',
    rule: BOUNDED,
    calls: 8,
    headers: () => ({ 'Session-Id': `A_1_1_${repeated('9', 50 * KIB)}` }),
  },
  {
    name: 'Content-Type of 50 KB of semicolons',
    rule: BOUNDED,
    calls: 8,
    headers: () => ({ 'Content-Type': `application/json${repeated(';', 50 * KIB)}` }),
  },
  { name: 'a cookie of 58 KB', rule: BOUNDED, calls: 8, headers: () => ({ Cookie: repeated('a=b; ', MOST) }) },
  {
    name: 'X-Forwarded-For of 58 KB of commas',
    rule: BOUNDED,
    calls: 8,
    headers: () => ({ 'X-Forwarded-For': repeated(',', MOST) }),
  },
]

/** Targets behind the router's path. */
const TARGETS: readonly (readonly [name: string, rule: string, calls: number, target: (index: number) => string])[] = [
  ['a query of 58 KB of parameters', BOUNDED, 8, () => `?${repeated('a=1&', MOST)}`],
  [
    '160 queries of 5,000 new names',
    BOUNDED_HEADERS,
    160,
    (index) => `?${Array.from({ length: 5_000 }, (_, at) => `p${index}x${at}`).join('&')}`,
  ],
  ['a path of 58 KB of slashes', BOUNDED, 8, () => repeated('/', MOST)],
  ['a path of 58 KB of escapes', BOUNDED, 8, () => repeated('%61', MOST)],
  ['a path of 29,000 segments', BOUNDED, 8, () => repeated('a/', MOST)],
  ['a query of 58 KB of ampersands', BOUNDED, 8, () => `?${repeated('&', MOST)}`],
  ['a query of 58 KB of broken escapes', BOUNDED, 8, () => `?${repeated('=%&', MOST)}`],
]

/** Headers of the LLM API's answer. */
const ANSWERS: readonly (readonly [name: string, headers: () => readonly string[]])[] = [
  ['Connection of 58 KB', () => [`Connection: ${repeated('close, ', MOST)}`]],
  ['Connection that lists 8,000 headers', () => answeredListed()],
  ['1,500 Set-Cookie', () => Array.from({ length: 1_500 }, (_, index) => `Set-Cookie: c${index}=1; Path=/`)],
  ['3,000 names', () => Array.from({ length: 3_000 }, (_, index) => `X-Name-${index}: 1`)],
  ['Content-Encoding of 58 KB', () => [`Content-Encoding: ${repeated('gzip, ', MOST)}gzip`]],
  ['Content-Type of 58 KB', () => [`Content-Type: application/json; ${repeated('charset=', MOST)}`]],
  ['Keep-Alive of 58 KB of digits', () => [`Keep-Alive: timeout=${repeated('9', MOST)}`]],
  ['a header of 1 MB', () => [`X-Long: ${repeated('x', 1_000_000)}`]],
  ['300 trailers', () => ['Trailer: X']],
]

export const HEADERS: readonly Attack[] = [
  ...CALLS.map(
    ({ name, rule, calls, headers }): Attack => ({
      name,
      rule,
      ...(rule === BOUNDED_HEADERS ? { keepsMib: KEPT_MIB } : {}),
      run: (tools) => sendCalls(tools, calls, (index) => ({ path: tools.path('/hostile/'), headers: headers(index) })),
    }),
  ),
  ...TARGETS.map(
    ([name, rule, calls, target]): Attack => ({
      name,
      rule,
      ...(rule === BOUNDED_HEADERS ? { keepsMib: KEPT_MIB } : {}),
      run: (tools) =>
        sendCalls(tools, calls, (index) => ({ path: `${tools.path('/hostile/')}${target(index)}`, headers: {} })),
    }),
  ),
  ...ANSWERS.map(
    ([name, headers]): Attack => ({
      name: `an answer with ${name}`,
      rule: BOUNDED,
      run: async (tools) => {
        const trailers = name.endsWith('trailers') ? `0\r\n${repeated('X: 1\r\n', 1_800)}\r\n` : LAST_CHUNK
        const bytes = Buffer.from(`${answerHead({ headers: headers() })}2\r\n{}\r\n${trailers}`)
        return sendCalls(tools, 4, () => ({ path: tools.path('/hostile/'), headers: {} }), bytes)
      },
    }),
  ),
]

type HeaderCall = { readonly path: string; readonly headers: Headers }

/** Makes `calls` calls, four in parallel. Each must be answered, with any status. */
async function sendCalls(
  tools: AttackTools,
  calls: number,
  call: (index: number) => HeaderCall,
  answer: Buffer = SMALL_ANSWER,
): Promise<readonly string[]> {
  const scripted = tools.answer(async ({ write }) => void (await write(answer)))
  let next = 0
  let unanswered = 0
  const work = async (): Promise<void> => {
    while (next < calls) {
      const index = next
      next += 1
      const { status } = await tools.call({ port: tools.gateway.port, body: '{}', ...call(index) })
      if (status === 0) unanswered += 1
    }
  }
  await Promise.all(Array.from({ length: 4 }, work))
  scripted.end()
  return unanswered === 0 ? [] : [`${unanswered} of ${calls} calls were not answered`]
}

function repeated(text: string, bytes: number): string {
  return text.repeat(Math.floor(bytes / text.length))
}

function headersNamed(count: number, name: (index: number) => string): Headers {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), '1']))
}

/** Returns as many short headers as fit beside a Connection header that names them all. */
function listed(): Headers {
  const names = Array.from({ length: 4_400 }, (_, index) => `h${index.toString(36)}`)
  return { ...Object.fromEntries(names.map((name) => [name, ''])), Connection: names.join(',') }
}

function answeredListed(): readonly string[] {
  const names = Array.from({ length: 1_500 }, (_, index) => `h${index.toString(36)}`)
  return [...names.map((name) => `${name}: 1`), `Connection: ${names.join(',')}`]
}
