// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration file
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type BusClient, connectBusClient } from '../../fake/bus-client.ts'
import { type RunningGatewayProcess, startGatewayProcess } from '../../fake/gateway.ts'
import { Journal } from '../../fake/journal.ts'
import { type Llm, startLlm } from '../../fake/llm.ts'
import { jsonAnswer } from '../../fake/llm-answer.ts'
import { answerLikeAnLlm } from '../../fake/llm-dialects.ts'
import { type NatsServer, startNatsServer } from '../../fake/nats-server.ts'
import { plantSecrets } from '../../fake/planted-secrets.ts'
import { openRawConnection, rawExchange } from '../../fake/raw-http.ts'

// Rules: docs/reference/record.md#masks, docs/reference/configuration-rules.md#log-lines

const HEADERS = ['Api-Key', 'Authorization', 'X-Api-Key', 'X-Goog-Api-Key', 'X-Amz-Security-Token', 'Cookie']
const PARAMETERS = ['key', 'api-key', 'api_key', 'apikey', 'subscription-key', 'token', 'access_token', 'sig']
const FROM_FILE = 'V_0123456789abcdef'

const secret = plantSecrets()
const names = [
  'TEAM',
  'USER_INFO',
  'URL_QUERY',
  'ENDPOINT_QUERY',
  'REAL_KEY',
  'VENDOR',
  'TENANT',
  'PROJECT',
  'NATS_TOKEN',
  'GUI_SECRET',
]
const environment = Object.fromEntries(names.map((name) => [name, secret(`environment ${name}`)]))
/** Bus messages, bodies of answers, /metrics and /status. Log lines are kept by the process. */
const shown: string[] = []
const records = new Journal<string>()

let directory: string
let nats: NatsServer
let client: BusClient
let llm: Llm
let gateway: RunningGatewayProcess

before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'llm-gateway-secrets-'))
  await writeFile(join(directory, FROM_FILE), secret('a file of SECRETS_DIR'))
  nats = await startNatsServer({ token: secret('environment NATS_TOKEN') })
  client = await connectBusClient(nats)
  await client.subscribe('>', ({ subject, bytes }) => {
    const text = Buffer.from(bytes).toString()
    shown.push(`${subject} ${text}`)
    if (subject === 'llm.gl.logger') records.add(text)
  })
  await client.subscribe('secrets.control', ({ reply }) =>
    reply(Buffer.from('{"control":"no","control_status_code":403}')),
  )
  await client.subscribe('secrets.pool', ({ reply }) => reply(Buffer.from('{"gl_path":"/sub/"}')))
  await client.subscribe('secrets.seen', ({ reply }) => reply(Buffer.from('{}')))
  llm = await startLlm({ respond: ({ url, body }) => answerOf(url, body) })
  gateway = await startGatewayProcess({
    admin: true,
    nats,
    env: environment,
    secretsDir: directory,
    config: configuration(),
  })
})
after(async () => {
  await llm.close()
  await gateway.close()
  await client.close()
  await nats.close()
  await rm(directory, { recursive: true })
})

function answerOf(url: string, body: Buffer) {
  if (String(body).includes('stream')) return answerLikeAnLlm('/chat/completions', body)
  const headers = [
    ['Set-Cookie', secret('a cookie of the LLM API')],
    ['Api-Key', secret('a key of the LLM API')],
  ] as const
  return jsonAnswer({}, { headers, status: url.includes('fail') ? 500 : 200 })
}

function configuration(): Readonly<Record<string, unknown>> {
  const headers = { Authorization: ['Bearer ${REAL_KEY}'], 'X-Vendor': ['${VENDOR}'], 'X-File': [`\${${FROM_FILE}}`] }
  const outbound = (host: string) => ({
    url: `http://user:\${USER_INFO}@${host}/base/\${TENANT}/v1?deployment=\${URL_QUERY}`,
    endpoint: 'x/${PROJECT}?part=${ENDPOINT_QUERY}',
    headers,
  })
  const router = (path: string, host = `127.0.0.1:${llm.port}`) => ({
    path,
    ingress: { headers: { 'X-Team': ['${TEAM}'] } },
    outbound: outbound(host),
  })
  const paths = ['/keyed/', '/control/', '/pool/', '/sub/']
  const entry = (name: string, over = {}) => ({
    name,
    service_bus_topic: `secrets.${name}`,
    timeout: 5_000,
    output_fields_write: ['control', 'control_status_code', 'gl_path'],
    ...over,
  })
  const seen = [entry('seen'), entry('seen', { async: true })]
  return {
    log_level: 'DEBUG',
    log_unauthorized: true,
    service_bus: { token: '${NATS_TOKEN}' },
    routers: [
      ...paths.map((path) => router(path)),
      router('/refused/', '127.0.0.1:1'),
      { path: '/open/', outbound: { url: llm.url } },
      { path: '/rejected/', outbound: { url: llm.url, headers: { 'Api-Key': ['${REAL_KEY} ${UNSET}'] } } },
      { path: '/reserved/', outbound: { url: llm.url, headers: { 'Api-Key': ['${GUI_SECRET}'] } } },
    ],
    request: {
      processors: [
        seen,
        [entry('control', { routers: ['/control/'] }), entry('pool', { routers: ['/pool/'], modifier: true })],
      ],
    },
    response: { processors: [seen] },
  }
}

function callersHeaders(): Record<string, string> {
  const masked = HEADERS.map((name): [string, string] => [name, secret(`the caller’s ${name}`)])
  return { 'Content-Type': 'application/json', 'X-Team': secret('environment TEAM'), ...Object.fromEntries(masked) }
}

const QUERY = PARAMETERS.map((name) => `${name}=${secret(`the caller’s ${name}`)}`).join('&')

type Outcome = readonly [path: string, status: number, recorded: boolean, init?: RequestInit]
const outcomes: readonly Outcome[] = [
  ['/keyed/chat', 200, true],
  ['/keyed/chat', 200, true, { body: '{"stream":true}' }],
  ['/open/chat', 200, true],
  ['/open/fail', 500, true],
  ['/control/', 403, true],
  ['/pool/', 200, true],
  ['/refused/', 502, true],
  ['/keyed/chat', 400, true, { body: 'no JSON' }],
  ['/keyed/chat', 415, true, { headers: { 'Content-Encoding': 'gzip' } }],
  ['/keyed/', 401, true, { headers: { 'X-Team': secret('a wrong X-Team') } }],
  ['/nowhere/', 404, false],
  ['/rejected/', 404, false],
  ['/keyed/%0d', 400, false],
  ['/echo/', 200, true],
]

test('no planted secret is in a record, bus message, metric, status, answer or log line', async () => {
  for (const [path, status, , init] of outcomes) await ask(path, status, init)
  await hostile()
  await records.waitForCount(outcomes.filter(([, , recorded]) => recorded).length + 1)
  await brokenFiles()
  await nats.restart()
  await client.flush()
  await waitForGatewayOnBus()
  await ask('/keyed/chat', 200)
  await waitForGatewayOnBus()
  for (const path of ['/metrics', '/status?entries=1', '/readyz']) {
    shown.push(await (await fetch(`${gateway.adminUrl}${path}`)).text())
  }
  gateway.kill('SIGTERM')
  await gateway.exited
  reachedTheLlm()
  const everything = [...shown, ...gateway.lines.entries]
  for (const text of everything) assert.equal(secret.foundIn(text), undefined, text)
  // Each of these places has output: the search of an empty place would prove nothing.
  for (const word of ['llm.gl.logger', 'secrets.seen', 'llm_gateway_requests_total', '"reload":', 'rejected_fields']) {
    assert.ok(
      everything.some((text) => text.includes(word)),
      word,
    )
  }
  assert.ok(records.entries.every((text) => text.includes('[*****MASKED*****]')))
  const shownPath = '/base/[*****MASKED*****]/v1/x/[*****MASKED*****]'
  assert.ok(records.entries.some((text) => text.includes(shownPath)))
})

async function ask(path: string, status: number, init: RequestInit = {}): Promise<void> {
  const headers = { ...callersHeaders(), ...Object(init.headers) }
  const answer = await fetch(`${gateway.url}${path}?${QUERY}`, { method: 'POST', body: '{}', ...init, headers })
  shown.push(`${path} ${await answer.text()}`)
  assert.equal(answer.status, status, path)
}

/** Waits until the gateway answers on its isalive subject. */
async function waitForGatewayOnBus(): Promise<void> {
  const end = performance.now() + 60_000
  while (performance.now() < end) {
    const answer = await client.request('llm.gl.isalive', Buffer.alloc(0), 200).catch(() => undefined)
    if (answer !== undefined) return
    // Without a subscriber the bus answers at once.
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.fail('the gateway is not back on the bus')
}

/** Sends requests that are cut short or never become calls. */
async function hostile(): Promise<void> {
  const key = `Api-Key: ${secret('a malformed request')}\r\n`
  const team = `X-Team: ${secret('environment TEAM')}\r\n`
  shown.push((await rawExchange(gateway.port, `POST /keyed/ HTTP/1.1\r\nHost: a\r\n${key}broken\r\n\r\n`)).text)
  shown.push(
    (
      await rawExchange(
        gateway.port,
        `GET /${secret('a long path')} HTTP/1.1\r\n${key}X: ${'x'.repeat(70_000)}\r\n\r\n`,
      )
    ).text,
  )
  using caller = await openRawConnection(gateway.port)
  await caller.send(`POST /keyed/ HTTP/1.1\r\nHost: a\r\n${key}${team}Content-Length: 20\r\n\r\n{`)
  caller.close()
}

/** Writes files that can't go live, with secrets in text that is not JSON and in values of a wrong type. */
async function brokenFiles(): Promise<void> {
  const good = await readFile(gateway.file, 'utf8')
  const literal = secret('a literal of a broken file')
  const failed = () => gateway.lines.entries.filter((line) => /"level":"(ERROR|WARN)"/.test(line)).length
  for (const text of [
    `{"routers":[{"path":"/x/","outbound":{"headers":{"Api-Key":["${literal}"`,
    JSON.stringify({ ...JSON.parse(good), gl_port: literal }),
    JSON.stringify({ ...JSON.parse(good), routers: literal }),
    JSON.stringify({ ...JSON.parse(good), service_bus: { hostname: `user:${literal}@127.0.0.1`, token: { literal } } }),
    good.replace('"Bearer ${REAL_KEY}"', JSON.stringify(`${literal}ü`)),
    good.replace('"X-Vendor"', JSON.stringify('X Vendor')).replaceAll('${VENDOR}', literal),
  ]) {
    const count = failed()
    await writeFile(gateway.file, text)
    await gateway.lines.waitUntil(() => failed() > count, { what: 'a line about a broken file' })
    shown.push(await (await fetch(`${gateway.adminUrl}/status`)).text())
  }
  const digest = await gateway.editConfig((config) => ({ ...config, gateway_id: 'GATEWAY2' }))
  await gateway.waitForDigest(digest)
}

/** Checks that the secrets are in use: the router's reached the LLM API in every planted position. */
function reachedTheLlm(): void {
  const keyed = llm.requests.entries.find(({ url }) => url.startsWith('/base/'))
  const sent = [keyed?.url, ...(keyed?.rawHeaders ?? [])].join('\n')
  for (const name of ['URL_QUERY', 'ENDPOINT_QUERY', 'REAL_KEY', 'VENDOR', 'TENANT', 'PROJECT'])
    assert.ok(sent.includes(secret(`environment ${name}`)), name)
  assert.ok(sent.includes(secret('a file of SECRETS_DIR')))
  const open = llm.requests.entries.find(({ url }) => url.startsWith('/chat?'))
  for (const name of HEADERS) assert.deepEqual(open?.header(name), [secret(`the caller’s ${name}`)], name)
}
