import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { freePort } from '@llm-gateway/test/fake/free-port'
import { startLlm } from '@llm-gateway/test/fake/llm'
import { jsonAnswer } from '@llm-gateway/test/fake/llm-answer'
import { type Program, waitForLine } from '@llm-gateway/test/fake/program'
import { collectRecords } from '@llm-gateway/test/fake/records'
import { buildArchive } from './image-under-test.ts'
import { type ImageRoot, type RunOptions, unpackImage, whyNoRoot } from './root-under-test.ts'

const CONF = join(import.meta.dirname, '../../conf')
const EXAMPLE = join(CONF, 'examples/processors')
/**
 * Sizes beyond the main thread's limits: the gateway's file is checked in a thread, and each processor reads messages
 * of this size in a thread.
 */
const LONG = 40_000
const HUGE = 600_000
const MINUTE_MS = 60_000
/** An archive built earlier: its figures are printed and not checked. */
const GIVEN_ARCHIVE = process.env.IMAGE_ARCHIVE ?? ''

/** Limits in megabytes for bundles; sources would also load Node's type stripper. */
const AT_REST: readonly { readonly path: string; readonly file?: string; readonly most: number }[] = [
  { path: '/app/gateway/src/main.ts', file: 'gl_config.json', most: 125 },
  { path: '/app/processors/nats2log/src/main.ts', file: 'nats2file_config.json', most: 92 },
  { path: '/app/processors/token-counter/src/main.ts', file: 'tokencounter_config.json', most: 92 },
  { path: '/app/processors/content-filter/src/main.ts', most: 110 },
  ...['broker', 'character-count', 'mock', 'nlp-entities', 'regex', 'tokenizer'].map((name) => ({
    path: `/app/processors/${name}/src/main.ts`,
    most: 92,
  })),
]

/** A foreign processor, as in a Custom processor's volume. */
const FOREIGN = `
import { z } from 'file:///app/node_modules/zod/index.js'
import { numberSetting, runProcessor, selectedFields } from 'file:///app/processors/sdk/src/index.ts'
import { isJsonObject } from 'file:///app/processors/protocol/src/index.ts'

const answer = (fields: ReadonlyMap<string, unknown>) => ({ foreign: isJsonObject({}) && fields.get('gl_path') })
process.exit(await runProcessor({
  name: 'foreign', version: '1', defaultSubject: 'llm.gl.foreign', settings: z.object({ a: numberSetting().default(1) }),
  create: () => ({ answer, large: selectedFields(['gl_path'], answer) }),
}, process))
`

suite('the programs of the image', { skip: whyNoRoot() ?? false }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-image-'))
  let image: ImageRoot
  before(() => {
    const own = join(folder, 'image.tar')
    if (GIVEN_ARCHIVE === '') buildArchive(join(import.meta.dirname, '../..'), own)
    image = unpackImage(GIVEN_ARCHIVE || own, folder)
  })
  after(() => rmSync(folder, { recursive: true }))

  test('the supervisor starts all programs by the paths of a checkout, and their threads answer', {
    timeout: 600_000,
  }, async () => {
    await using llm = await startLlm()
    const configuration = join(folder, 'example')
    const bus = { address: `127.0.0.1:${await freePort()}`, token: 'test-token' }
    const port = await freePort()
    writeExample(configuration, { bus: bus.address, port })
    await using supervisor = await image.start(
      ['gateway/ginit/src/main.ts', '-o', '/etc/llm-gateway/ginit_config.json'],
      {
        configuration,
        environment: {
          NATS_TOKEN: bus.token,
          GATEWAY_HOST: bus.address,
          AISERVICE_API_BASE: llm.url,
          GUI_SECRET: 'secret',
        },
      },
    )
    await waitForLine(supervisor, /"all services healthy"/, 5 * MINUTE_MS)
    await using records = await collectRecords(bus)
    const ask = async (path: string, content: string) => {
      const body = JSON.stringify({ model: 'gpt-4', messages: [{ role: 'user', content }] })
      const headers = { 'Content-Type': 'application/json' }
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })
      const text = await answer.text()
      const id = answer.headers.get('session-id')
      const record = await records.waitFor((seen) => seen.record.transaction_id === id, { timeoutMs: MINUTE_MS })
      return { status: answer.status, text, field: (name: string) => record.field(name) }
    }

    llm.respond(() => jsonAnswer({ choices: [{ message: { role: 'assistant', content: 'Hello, world!' } }] }))
    for (const length of [10, LONG, HUGE]) {
      const { status, field } = await ask('/service/standard/', `Paris ${'so '.repeat(length / 3)}`)
      assert.equal(status, 200)
      assert.equal(field('request.is_toxic'), false, `content filter at ${length}`)
      assert.ok(field('request.character_count') !== undefined, `character count at ${length}`)
      assert.ok(field('request.tokenizer') !== undefined, `tokenizer at ${length}`)
      assert.ok(field('request.nlp_entities') !== undefined, `entities at ${length}`)
      assert.deepEqual(field('response.token_count'), { completion_tokens: 4, estimated: true }, `caps at ${length}`)
    }
    // The regex processor uses re2 to find this.
    const markdown = '```json\n{"a":1}\n```'
    llm.respond(() => jsonAnswer({ choices: [{ message: { role: 'assistant', content: markdown } }] }))
    assert.match((await ask('/json/', 'a')).text, /"regex":\{"match":true/)
    assert.notEqual((await ask('/pool/', 'a')).status, 503)
    const first = await ask('/echo/', 'again')
    assert.equal(first.status, 200)
    assert.equal((await ask('/mock/echo/', 'again')).text, first.text)
    assertQuiet(supervisor)
    supervisor.kill('SIGTERM')
    assert.equal((await supervisor.exited).code, 0)
  })

  test('the time and memory of each program at its start and at rest', { timeout: 300_000 }, async () => {
    const bus = { address: `127.0.0.1:${await freePort()}`, token: 'test-token' }
    const configuration = join(folder, 'at-rest')
    writeExample(configuration, { bus: bus.address, port: await freePort() })
    const environment = { NATS_TOKEN: bus.token, GATEWAY_HOST: bus.address, MALLOC_ARENA_MAX: '1' }
    await using natsServer = await startBus(image, bus)
    for (const { path, file, most } of AT_REST) {
      const began = performance.now()
      const args = file === undefined ? [path] : [path, '-o', `/etc/llm-gateway/${file}`]
      await using program = await image.start(args, { configuration, environment })
      await waitForLine(program, /initialized"/, MINUTE_MS)
      const startMs = performance.now() - began
      const megabytes = await restingMegabytes(program.pid)
      console.log(`${path}: ready after ${Math.round(startMs)} ms, ${Math.round(megabytes)} MB at rest`)
      assert.ok(megabytes < most || GIVEN_ARCHIVE !== '', `${path}: ${megabytes} MB`)
      const maps = readFileSync(`/proc/${program.pid}/maps`, 'utf8')
      assert.equal(maps.includes('libjemalloc'), path === '/app/gateway/src/main.ts', path)
    }
    assertQuiet(natsServer, /^\[/)
  })

  test('a foreign processor imports the SDK by its path and can start threads', {
    timeout: 300_000,
  }, async () => {
    const configuration = join(folder, 'foreign')
    mkdirSync(configuration)
    writeFileSync(join(configuration, 'main.ts'), FOREIGN)
    const bus = { address: `127.0.0.1:${await freePort()}`, token: 'test-token' }
    const options: RunOptions = { configuration, environment: { NATS_TOKEN: bus.token, GATEWAY_HOST: bus.address } }
    await using _natsServer = await startBus(image, bus)
    await using foreign = await image.start(['/etc/llm-gateway/main.ts'], options)
    await waitForLine(foreign, /processor initialized/)
    const client = await connectBusClient(bus)
    for (const length of [10, LONG, HUGE]) {
      const message = JSON.stringify({ gl_path: '/a/', ingress_payload: 'a'.repeat(length) })
      const reply = await client.request('llm.gl.foreign', Buffer.from(message), MINUTE_MS)
      assert.deepEqual(JSON.parse(Buffer.from(reply).toString()), { foreign: '/a/' }, String(length))
    }
    await client.close()
    assertQuiet(foreign)
  })
})

async function startBus(image: ImageRoot, bus: { readonly address: string; readonly token: string }): Promise<Program> {
  const [, port = ''] = bus.address.split(':')
  const args = ['-a', '127.0.0.1', '-p', port, '--auth', bus.token, '-js', '-sd', '/tmp/bus']
  const natsServer = await image.start(args, { entrypoint: ['/usr/bin/nats-server'] })
  await waitForLine(natsServer, /Server is ready/)
  return natsServer
}

/** Returns the minimum of ten measurements; garbage of the start is collected meanwhile. */
async function restingMegabytes(pid: number): Promise<number> {
  const looks: number[] = []
  for (let look = 0; look < 10; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200))
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    looks.push(Number(kilobytes) / 1_000)
  }
  return Math.min(...looks)
}

/** Writes the files of conf and of the example with a container's paths; the gateway's file is padded beyond 32 KiB. */
function writeExample(folder: string, { bus, port }: { readonly bus: string; readonly port: number }): void {
  mkdirSync(folder)
  for (const from of [CONF, EXAMPLE])
    for (const name of readdirSync(from).filter((name) => /_config\.json$|^nats-server\.conf$/.test(name))) {
      const text = readFileSync(join(from, name), 'utf8')
        .replaceAll('./app/conf/', '/etc/llm-gateway/')
        .replaceAll('./app/', '/tmp/')
        .replaceAll(/(localhost|0\.0\.0\.0):4222/g, bus)
        .replace('"gl_port": 5380', `"gl_port": ${port}`)
        .replace('"admin_port": 9464', '"admin_port": 0')
        .replace('tools/regex-service/main.ts', 'processors/regex/src/main.ts')
        .replace('processor starts once re2 is there', 'processor initialized')
        .replaceAll('"timeout": 1000', '"timeout": 20000')
        .replaceAll('"timeout": 5000', '"timeout": 20000')
      writeFileSync(join(folder, name), name === 'gl_config.json' ? padded(text) : text)
    }
}

function padded(text: string): string {
  return text.replace('"routers": [', `"routers": [${' '.repeat(LONG)}`)
}

/** Asserts that no thread was lost, no error was logged, and all output is log lines. */
function assertQuiet(program: Program, quiet = /^\{/): void {
  const loud = program.lines.entries.filter(
    (line) => !quiet.test(line) || /"level":"ERROR"|thread ended unexpectedly/.test(line),
  )
  assert.deepEqual(loud, [])
}
