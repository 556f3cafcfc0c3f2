// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration file
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { checkGinitConfig, checkGlConfig, type ProcessorEntry } from '@llm-gateway/conf'
import { GATEWAY_MAIN } from '../../fake/gateway-process.ts'
import { PROCESSOR_FOLDERS, PROCESSOR_NAMES, whyNoProcessor } from '../../fake/processor-program.ts'

// Rules: docs/reference/processors.md

const ROOT = join(import.meta.dirname, '../../..')
const CONF = join(ROOT, 'conf')
const SET = join(CONF, 'examples/processors')
const KEYS = { AISERVICE_API_BASE: 'https://res.example', AISERVICE_API_KEY: 'real', GATEWAY_API_KEY: 'own' }
const environment = { NATS_TOKEN: 'token', GUI_SECRET: 'secret', ...KEYS }

const POOL = ['/pool/gpt35turbo/', '/pool/gpt4/', '/pool/dud/']
const NORMAL = [
  ...['/echo/', '/service/standard/', '/service/capped/', '/restricted/', '/markdown/', '/json/', '/pool/'],
  ...POOL,
]
const REPLAYED = NORMAL.map((path) => `/mock${path}`)

/** An entry as docs/reference/processors.md describes it; `rest` holds the settings that differ from the defaults. */
type Described = readonly [
  subject: string,
  way: 'sync add' | 'sync modify' | 'async add' | 'async',
  takes: string,
  writes: string,
  rest?: { readonly required?: true; readonly routers?: readonly string[]; readonly reroute_to?: readonly string[] },
]

const REQUEST: readonly Described[] = [
  [
    'contentfilter',
    'sync add',
    'ingress_payload gl_path',
    'content_filter is_toxic control control_status_code',
    { required: true, routers: ['/service/standard/'] },
  ],
  ['mock', 'sync add', 'gl_path ingress_subpath', 'control control_status_code', { required: true, routers: REPLAYED }],
  ['tokencounter', 'sync add', 'gl_path ingress_payload', 'control control_status_code control_headers'],
  ['broker', 'sync modify', 'gl_path', 'gl_path', { required: true, routers: ['/pool/'], reroute_to: POOL }],
  ['tokenizer', 'async add', 'ingress_payload gl_path', 'tokenizer'],
  ['nlpentities', 'async add', 'outbound_payload', 'nlp_entities'],
  ['charactercount', 'async add', 'ingress_payload', 'character_count'],
]

const ANSWER = 'egress_payload egress_headers egress_status_code'
const RESPONSE: readonly Described[] = [
  ['mock', 'sync modify', `gl_path ${ANSWER}`, ANSWER, { routers: REPLAYED }],
  ['regex', 'sync modify', 'egress_payload gl_path', 'egress_payload', { routers: ['/markdown/', '/json/'] }],
  ['mock', 'async', `gl_path original_gl_path ${ANSWER}`, '', { routers: NORMAL }],
  ['broker', 'async', 'gl_path inbound_status_code egress_status_code error', '', { routers: ['/pool/', ...POOL] }],
  ['tokencounter', 'async add', 'gl_path original_gl_path inbound_status_code inbound_payload', 'token_count'],
  ['tokenizer', 'async add', 'inbound_payload gl_path', 'tokenizer'],
  ['nlpentities', 'async add', 'egress_payload', 'nlp_entities'],
]

describe('the set of conf/examples/processors', async () => {
  const bytes = await readFile(join(SET, 'gl_config.json'))
  const verdict = checkGlConfig(bytes, { environment })
  assert.ok(verdict.kind === 'checked')
  const { settings, routers, rejectedFields, unknownKeys } = verdict.config

  for (const [phase, described] of [
    ['request', REQUEST],
    ['response', RESPONSE],
  ] as const) {
    it(`the set has the shipped ${phase} entries in an order in which refusals come first`, () => {
      assert.deepEqual(settings[phase].processors.flat().map(describeEntry), described.map(normalize))
    })
  }

  it('the set activates every router once all variables are set', () => {
    assert.deepEqual(rejectedFields, {})
    assert.deepEqual(unknownKeys, [])
    assert.deepEqual(
      routers.map(({ path, kind }) => [path, kind]),
      [...NORMAL, ...REPLAYED].map((path) => [path, 'active']),
    )
  })

  it('each replay router requires the headers of the replayed router and answers without an LLM API', () => {
    const active = routers.filter((router) => router.kind === 'active')
    const at = new Map(active.map((router) => [router.path, router]))
    for (const path of NORMAL) {
      assert.deepEqual(at.get(`/mock${path}`)?.ingressHeaders, at.get(path)?.ingressHeaders, path)
      assert.equal(at.get(`/mock${path}`)?.outbound.url, 'https://localhost')
    }
  })

  it('each sub-router requires the headers of the pool and has its own key and endpoint', () => {
    const active = routers.filter((router) => router.kind === 'active')
    const at = new Map(active.map((router) => [router.path, router]))
    for (const path of POOL) assert.deepEqual(at.get(path)?.ingressHeaders, at.get('/pool/')?.ingressHeaders, path)
    for (const path of POOL.slice(0, 2)) {
      assert.ok(at.get(path)?.outbound.headers.some(({ name, secret }) => name === 'Api-Key' && secret))
      assert.match(at.get(path)?.outbound.endpoint ?? '', /^llmapi\/deployments\/.*\?api-version=/)
    }
    assert.equal(at.get('/pool/')?.outbound.url, 'https://localhost')
    assert.equal(at.get('/pool/dud/')?.outbound.url, 'http://127.0.0.1:1/')
  })

  it('the set keeps the settings, the routers and the token counter of the shipped gl_config.json', async () => {
    const shipped = JSON.parse(String(await readFile(join(CONF, 'gl_config.json'))))
    const own = JSON.parse(String(bytes))
    const count = shipped.routers.length
    assert.deepEqual({ ...own, routers: own.routers.slice(0, count), request: {}, response: {} }, withoutRows(shipped))
    for (const phase of ['request', 'response']) {
      const entries: readonly unknown[] = own[phase].processors.flat()
      const counter = shipped[phase].processors.flat()
      assert.equal(counter.length, 1)
      assert.ok(entries.some((entry) => JSON.stringify(entry) === JSON.stringify(counter[0])))
    }
  })

  it('the set has no sync response entry that applies to every router, so streams stay streams', () => {
    const sync = settings.response.processors.flat().filter(({ async }) => !async)
    assert.ok(sync.length > 0)
    for (const { name, routers: paths } of sync) assert.ok(paths !== undefined && paths.length > 0, name)
  })

  it('the set passes the gateway’s --validate, also with every variable unset', async () => {
    const args = [GATEWAY_MAIN, '-o', join(SET, 'gl_config.json'), '--validate']
    for (const env of [environment, {}]) {
      const { stdout } = await promisify(execFile)(process.execPath, args, { env })
      assert.match(stdout, /"configuration loaded"/)
    }
  })

  for (const name of PROCESSOR_NAMES) {
    it(`${name} starts with its settings file of the set, which has no unknown key`, async (context) => {
      const absent = whyNoProcessor(name, process.env)
      if (absent !== undefined) return context.skip(absent)
      const main = join(ROOT, 'processors', PROCESSOR_FOLDERS[name], 'src/main.ts')
      const folder = name === 'tokencounter' ? CONF : SET
      const args = [main, '-o', join(folder, `${name}_config.json`), '--validate']
      const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment })
      assert.doesNotMatch(stdout, /"level":"(WARN|ERROR)"/)
    })
  }

  it('the set starts the shipped services, then every processor with its settings file, and the web interface last', async () => {
    const shipped = JSON.parse(String(await readFile(join(CONF, 'ginit_config.json'))))
    const own = JSON.parse(String(await readFile(join(SET, 'ginit_config.json'))))
    const before = shipped.services.slice(0, -1)
    assert.deepEqual(own.services.slice(0, before.length), before)
    assert.deepEqual(own.services.at(-1), shipped.services.at(-1))
    assert.equal(checkGinitConfig(Buffer.from(JSON.stringify(own)), { environment }).kind, 'checked')
    const added: readonly { readonly name: string; readonly configuration_file: string }[] = own.services.slice(
      before.length,
      -1,
    )
    assert.deepEqual(
      added.map(({ configuration_file }) => configuration_file),
      added.map(({ name }) => `./app/conf/${name}_config.json`),
    )
    const subjects = [...REQUEST, ...RESPONSE].map(([subject]) => subject).filter((name) => name !== 'tokencounter')
    assert.deepEqual(added.map(({ name }) => name).toSorted(), [...new Set(subjects)].toSorted())
    const files = await readdir(SET)
    for (const { name } of added) assert.ok(files.includes(`${name}_config.json`), name)
  })
})

function describeEntry(entry: ProcessorEntry): unknown {
  const {
    service_bus_topic,
    async,
    modifier,
    required,
    input_fields_include: takes,
    output_fields_write: writes,
  } = entry
  const way = async ? (writes.length > 0 ? 'async add' : 'async') : modifier ? 'sync modify' : 'sync add'
  assert.deepEqual(entry.input_fields_exclude, [])
  assert.ok(!(async && modifier))
  return [
    service_bus_topic,
    way,
    takes.toSorted(),
    writes.toSorted(),
    { required, routers: entry.routers?.toSorted(), reroute_to: entry.reroute_to?.toSorted() },
  ]
}

function normalize([subject, way, takes, writes, rest = {}]: Described): unknown {
  const names = (text: string): readonly string[] => text.split(' ').filter(Boolean).toSorted()
  const { required = false, routers, reroute_to } = rest
  return [
    `llm.gl.${subject}`,
    way,
    names(takes),
    names(writes),
    { required, routers: routers?.toSorted(), reroute_to: reroute_to?.toSorted() },
  ]
}

function withoutRows(config: Readonly<Record<string, unknown>>): unknown {
  return { ...config, request: {}, response: {} }
}
