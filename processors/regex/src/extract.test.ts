import assert from 'node:assert/strict'
import { compilePatterns } from './compile-patterns.ts'
import { createExtract } from './extract.ts'
import type { RegexEngine } from './re2-engine.ts'
import { regexSettings } from './settings.ts'
import { testWithRe2 } from './with-re2-under-test.ts'

// Rules: docs/reference/processors.md#regex

const FENCE = '```'
const MARKDOWN = `Sure:\n${FENCE}markdown\n# Title\n${FENCE}\nBye.`
const JSON_BLOCK = `Sure:\n${FENCE}json\n{"name":"Ada","born":1815}\n${FENCE}\n`
const NONE = { match: false, sections: [] }
const answer = (content: unknown) => ({ id: 'x', choices: [{ index: 0, message: { role: 'assistant', content } }] })
const found = (text: string, object: unknown = null) => ({ match: true, sections: [{ text, object }] })

const PAYLOADS: readonly {
  readonly title: string
  readonly router?: unknown
  readonly content: unknown
  readonly settings?: object
  readonly regex: object
}[] = [
  { title: 'a markdown block is extracted', router: '/markdown/', content: MARKDOWN, regex: found('# Title') },
  {
    title: 'a router without a pattern has the default pattern',
    router: '/x/',
    content: MARKDOWN,
    regex: found('# Title'),
  },
  { title: 'a message without a router has the default pattern', content: MARKDOWN, regex: found('# Title') },
  { title: 'a router that is no text has the default pattern', router: 7, content: MARKDOWN, regex: found('# Title') },
  {
    title: 'on /json/ a json block is extracted and deserialized',
    router: '/json/',
    content: JSON_BLOCK,
    regex: found('{"name":"Ada","born":1815}', { name: 'Ada', born: 1815 }),
  },
  {
    title: 'with MATCH_JSON off the text of a json block is left as it is',
    router: '/json/',
    content: JSON_BLOCK,
    settings: { match_json: 'off' },
    regex: found('{"name":"Ada","born":1815}'),
  },
  { title: 'on /json/ a markdown block is no match', router: '/json/', content: MARKDOWN, regex: NONE },
  { title: 'elsewhere a json block is no match', router: '/markdown/', content: JSON_BLOCK, regex: NONE },
  {
    title: 'a json block that is not JSON matches and has no object',
    router: '/json/',
    content: `${FENCE}json\n{"a":\n${FENCE}`,
    regex: found('{"a":'),
  },
  {
    title: 'JSON that is nested too deeply to be written again has no object',
    router: '/json/',
    content: `${FENCE}json\n${'['.repeat(10_000)}${']'.repeat(10_000)}\n${FENCE}`,
    regex: found('['.repeat(10_000) + ']'.repeat(10_000)),
  },
  {
    title: 'sections beyond the bound are left out',
    content: `${MARKDOWN}\n${MARKDOWN}`,
    settings: { max_sections: 1 },
    regex: found('# Title'),
  },
  {
    title: 'a text is searched up to the bound',
    content: `${MARKDOWN}\n${MARKDOWN}`,
    settings: { max_characters: MARKDOWN.length },
    regex: found('# Title'),
  },
  { title: 'an answer without text is no match', content: null, regex: NONE },
  { title: 'content that is no text is no match', content: [{ type: 'text', text: MARKDOWN }], regex: NONE },
  {
    title: 'even for a pattern that matches the empty text, content that is no text is no match',
    content: undefined,
    settings: { patterns: [{ pattern: 'x*' }] },
    regex: NONE,
  },
]

for (const { title, router, content, settings, regex } of PAYLOADS) {
  testWithRe2(title, (engine) => {
    const payload = answer(content)
    const message = { egress_payload: payload, ...(router === undefined ? {} : { gl_path: router }) }
    assert.deepEqual(extracted(engine, message, settings), { egress_payload: { ...payload, regex } })
  })
}

testWithRe2('an answer that is not an object is left alone', (engine) => {
  for (const payload of [undefined, null, 'text', 7, true, [], [answer(MARKDOWN)]]) {
    assert.equal(extracted(engine, { gl_path: '/markdown/', egress_payload: payload }), undefined)
  }
})

testWithRe2('an answer that is nested too deeply to be written again is left alone', (engine) => {
  const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
  const message = (depth: number) => ({ egress_payload: { ...answer(MARKDOWN), nested: nested(depth) } })
  assert.equal(extracted(engine, message(100_000)), undefined)
  assert.equal(extracted(engine, message(256)), undefined)
  const payload = message(255).egress_payload
  assert.deepEqual(extracted(engine, message(255)), { egress_payload: { ...payload, regex: found('# Title') } })
})

testWithRe2('each pattern of a router has its result in the field it names', (engine) => {
  const patterns = [
    { routers: ['/a/'], pattern: '\\d+', field: 'numbers' },
    { routers: ['/a/'], pattern: '\\{[^}]*\\}', json: true },
    { routers: ['/a/'], pattern: '^(.)', path: 'choices.0.message.role', field: 'role' },
    { pattern: 'never used here' },
  ]
  const payload = answer('1 {"a":2}')
  const results = {
    numbers: {
      match: true,
      sections: [
        { text: '1', object: null },
        { text: '2', object: null },
      ],
    },
    regex: found('{"a":2}', { a: 2 }),
    role: found('a'),
  }
  const message = { gl_path: '/a/', egress_payload: payload }
  assert.deepEqual(extracted(engine, message, { patterns }), { egress_payload: { ...payload, ...results } })
})

testWithRe2('a router that no pattern is for is left alone where there is no default', (engine) => {
  const settings = { patterns: [{ routers: ['/a/'], pattern: 'a' }] }
  assert.equal(extracted(engine, { gl_path: '/b/', egress_payload: answer('a') }, settings), undefined)
})

testWithRe2('after a re-route the patterns of the router that was called apply where the other has none', (engine) => {
  const payload = answer(JSON_BLOCK)
  const message = { gl_path: '/pool/gpt4/', original_gl_path: '/json/', egress_payload: payload }
  const regex = found('{"name":"Ada","born":1815}', { name: 'Ada', born: 1815 })
  assert.deepEqual(extracted(engine, message), { egress_payload: { ...payload, regex } })
})

testWithRe2('keys named __proto__ in an answer and in what is extracted stay keys', (engine) => {
  const text = '{"__proto__":{"x":1}}'
  const content = JSON.stringify(`${FENCE}json\n${text}\n${FENCE}`)
  const payload: unknown = JSON.parse(`{"__proto__":{"y":2},"choices":[{"message":{"content":${content}}}]}`)
  const written = JSON.stringify(extracted(engine, { gl_path: '/json/', egress_payload: payload }))
  assert.ok(written.includes('"__proto__":{"y":2}'))
  assert.ok(written.includes(`"object":${text}`))
  assert.equal(Reflect.get({}, 'x'), undefined)
  assert.equal(Reflect.get({}, 'y'), undefined)
})

function extracted(engine: RegexEngine, message: object, file: object = {}): unknown {
  const settings = regexSettings.parse(file)
  const extract = createExtract({
    patterns: compilePatterns(settings.patterns, engine),
    matchJson: settings.match_json,
    maxSections: settings.max_sections,
    maxCharacters: settings.max_characters,
  })
  return extract(new Map(Object.entries(message)))
}
