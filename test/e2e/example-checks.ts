import assert from 'node:assert/strict'
import type { ExampleScene, Json } from './example-scene.ts'
import { KEY_PLACEHOLDER } from './example-scene.ts'

/** Checks an example against its README; `use` are the commands that remain after the setup. */
export type Check = (scene: ExampleScene, use: readonly string[]) => Promise<void>

const CHAT_PATH = '/llmapi/deployments/gpt4/chat/completions?api-version=2024-10-21'
/** The tokens of every answer of the fakes. */
const TOKENS = 18
const POOL_CALLS = 20

/** The scenarios of `examples` by folder in the order of the test: json uses the Processor of markdown. */
export const SCENARIOS: ReadonlyMap<string, Check> = new Map<string, Check>([
  [
    'standard',
    async (scene, [command = '']) => {
      assert.equal(textOf(await call(scene, command)), 'Hello')
      assert.deepEqual((await scene.seen()).at(-1), {
        host: 'res.openai.azure.com',
        url: CHAT_PATH,
        keys: [KEY_PLACEHOLDER],
      })
      assert.equal((await call(scene, command.replace(KEY_PLACEHOLDER, 'nobody'))).error.code, '401')
    },
  ],
  [
    'restricted',
    async (scene, [command = '']) => {
      assert.equal(textOf(await call(scene, command)), 'Hello')
      assert.deepEqual((await scene.seen()).at(-1)?.keys, [KEY_PLACEHOLDER])
      const before = (await scene.seen()).length
      assert.match(await scene.run(command.replace('choose-one', 'another').replace('-s', '-si')), /^HTTP\/1\.1 401/)
      assert.equal((await scene.seen()).length, before)
    },
  ],
  [
    'capped',
    async (scene, [command = '']) => {
      assert.match(await scene.run(command), /^HTTP\/1\.1 200/)
      const refused = await scene.kube.until('429', async () => {
        const answer = await scene.run(command)
        return answer.startsWith('HTTP/1.1 429') ? answer : undefined
      })
      assert.match(refused, /^retry-after: \d+/im)
    },
  ],
  [
    'markdown',
    async (scene, [command = '']) => {
      const { regex } = await call(scene, command)
      assert.deepEqual(regex, { match: true, sections: [{ text: '# Hello', object: null }] })
    },
  ],
  [
    'json',
    async (scene, [command = '']) => {
      const { regex } = await call(scene, command)
      assert.deepEqual(regex, { match: true, sections: [{ text: '{"a":[1,2]}', object: { a: [1, 2] } }] })
    },
  ],
  ['pool', checkPool],
  [
    'mock',
    async (scene, [original = '', replay = '']) => {
      const { id } = await call(scene, original)
      await scene.kube.until('the replay of the last answer', async () => {
        const again = await call(scene, replay)
        return again.id === id ? true : undefined
      })
      const before = (await scene.seen()).length
      assert.equal((await call(scene, replay)).id, id)
      assert.equal((await scene.seen()).length, before)
    },
  ],
  [
    'filter',
    async (scene, [command = '']) => {
      const before = (await scene.seen()).length
      const refused = await scene.run(command.replace('-s', '-si'))
      assert.match(refused, /^HTTP\/1\.1 403/)
      assert.deepEqual(JSON.parse(refused.split('\r\n\r\n')[1] ?? ''), { is_toxic: true })
      assert.equal((await scene.seen()).length, before)
    },
  ],
  [
    'entities',
    async (scene, [command = '', look = '']) => {
      await call(scene, command)
      const { request, response } = await waitForRecord(scene, look, (record) => textsOf(record.response).length > 0)
      for (const texts of [textsOf(request), textsOf(response)]) {
        assert.ok(texts.includes('Microsoft') && texts.includes('1975'), texts.join())
      }
    },
  ],
  [
    'characters',
    async (scene, [command = '', look = '']) => {
      const [, question = ''] = /-d '([^']*)'/.exec(command) ?? []
      await call(scene, command)
      await waitForRecord(scene, look, (record) => record.request.character_count === question.length)
    },
  ],
  [
    'tokenizer',
    async (scene, [command = '', look = '']) => {
      await call(scene, command)
      await waitForRecord(scene, look, (record) => record.response.tokenizer?.gpt2 === 1)
    },
  ],
])

type LlmApi = { readonly host: string; readonly text: (answer: Json) => unknown; readonly keys: readonly string[] }
const BEARER = [`Bearer ${KEY_PLACEHOLDER}`]

/** The LLM APIs by folder: the host, the key and the text of an answer. */
export const LLM_APIS: ReadonlyMap<string, LlmApi> = new Map([
  ['openai', { host: 'api.openai.com', text: textOf, keys: BEARER }],
  ['azure-openai', { host: 'res.openai.azure.com', text: textOf, keys: [KEY_PLACEHOLDER] }],
  ['anthropic', { host: 'api.anthropic.com', text: (answer: Json) => answer.content[0].text, keys: [KEY_PLACEHOLDER] }],
  [
    'gemini',
    {
      host: 'generativelanguage.googleapis.com',
      text: (answer: Json) => answer.candidates[0].content.parts[0].text,
      keys: [KEY_PLACEHOLDER],
    },
  ],
  [
    'bedrock',
    {
      host: 'bedrock-runtime.eu-central-1.amazonaws.com',
      text: (answer: Json) => answer.output.message.content[0].text,
      keys: BEARER,
    },
  ],
  ['vllm', { host: 'vllm.models.svc:8000', text: textOf, keys: BEARER }],
  ['ollama', { host: 'ollama.models.svc:11434', text: (answer: Json) => answer.message.content, keys: [] }],
])

/**
 * Checks that an LLM API is called under its own name with its own key, that callers without a key are refused, and
 * that the usage is understood.
 */
export async function checkLlmApi(scene: ExampleScene, name: string, command: string, look: string): Promise<void> {
  const api = LLM_APIS.get(name)
  assert.ok(api !== undefined)
  assert.equal(api.text(await call(scene, command)), 'Hello')
  const last = (await scene.seen()).at(-1)
  assert.deepEqual({ host: last?.host, keys: last?.keys }, { host: api.host, keys: api.keys })
  assert.match(await scene.run(command.replace('choose-one', 'another').replace('-s', '-si')), /^HTTP\/1\.1 401/)
  const { response } = await waitForRecord(scene, look, (record) => record.request.gl_path === `/${name}/`)
  assert.equal(response.token_count?.total_tokens, TOKENS)
}

async function checkPool(scene: ExampleScene, [command = '']: readonly string[]): Promise<void> {
  const statuses: string[] = []
  const members = new Set<string>()
  await scene.kube.until('a pool without its failing member', async () => {
    const answer = await scene.run(command)
    statuses.push(answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length))
    const [, member = ''] = /deployments\/(\w+)\//.exec((await scene.seen()).at(-1)?.url ?? '') ?? []
    if (statuses.at(-1) === '200') members.add(member)
    const isQuiet = statuses.length > POOL_CALLS && statuses.slice(-POOL_CALLS).every((status) => status === '200')
    return isQuiet && statuses.some((status) => status !== '200') ? true : undefined
  })
  assert.deepEqual([...members].toSorted(), ['gpt35turbo', 'gpt4'])
  const direct = await scene.run(command.replace('/pool/', '/pool/gpt4/'))
  assert.match(direct, /^HTTP\/1\.1 404/)
}

async function call(scene: ExampleScene, command: string): Promise<Json> {
  return JSON.parse(await scene.run(command))
}

/** Waits until `is` is true for the sink's last record, and returns that record. */
function waitForRecord(scene: ExampleScene, look: string, is: (record: Json) => boolean): Promise<Json> {
  return scene.kube.until('the record', async () => {
    const line = (await scene.run(look)).trim()
    const record = line.startsWith('{') ? JSON.parse(line) : undefined
    return record !== undefined && is(record) ? record : undefined
  })
}

function textOf(answer: Json): unknown {
  return answer.choices[0].message.content
}

function textsOf(side: Json): readonly string[] {
  return (side.nlp_entities?.entities ?? []).map((entity: Json) => entity.text)
}
