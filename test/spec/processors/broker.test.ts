import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { chat, type ExampleSet, LLM_KEY, startExampleSet } from '../../fake/example-set.ts'
import { jsonAnswer } from '../../fake/llm-answer.ts'

// Rules: docs/reference/processors.md#broker

const LIVING = ['/pool/gpt35turbo/', '/pool/gpt4/']

describe('the broker through the gateway, with the rows of conf/examples/processors', () => {
  let set: ExampleSet
  before(async () => {
    set = await startExampleSet({ processors: ['broker'] })
  })
  after(() => set.close())

  const pick = async (path = '/pool/'): Promise<{ status: number; path: unknown }> => {
    const { status, record } = await set.ask(path, chat('Hello'))
    return { status, path: record.field('response.gl_path') }
  }

  it('the broker sends a call to a member of the pool with its endpoint and key, and the record names the member and the pool', async () => {
    let asked = await set.ask('/pool/', chat('Hello'))
    if (asked.status !== 200) {
      // The dead member answered with an error code and an empty body, and this disables it.
      assert.deepEqual([asked.status, asked.text], [502, ''])
      assert.equal(asked.headers.get('gateway-error'), 'UPSTREAM_REFUSED')
      assert.equal(asked.record.field('response.gl_path'), '/pool/dud/')
      asked = await set.ask('/pool/', chat('Hello'))
    }
    const { record } = asked
    assert.ok(LIVING.includes(String(record.field('response.gl_path'))))
    assert.equal(record.field('response.original_gl_path'), '/pool/')
    assert.equal(record.field('request.original_gl_path'), '/pool/')
    const sent = set.llm.requests.entries.at(-1)
    assert.match(
      sent?.url ?? '',
      /^\/llmapi\/deployments\/(gpt4|gpt35turbo)\/chat\/completions\?api-version=2024-10-21$/,
    )
    assert.deepEqual(sent?.header('api-key'), [LLM_KEY])
  })

  it('of consecutive callers at most one sees the dead member’s failure, and both living members are picked', async () => {
    const picks = []
    for (let call = 0; call < 40; call += 1) picks.push(await pick())
    assert.ok(picks.filter(({ status }) => status !== 200).length <= 1)
    const living = picks.filter(({ status }) => status === 200).map(({ path }) => String(path))
    assert.deepEqual([...new Set(living)].toSorted(), LIVING)
  })

  it('a caller that leaves disables no member', async () => {
    set.llm.respond(() => ({ kind: 'hang' }))
    const known = set.records.journal.total
    for (let call = 0; call < 8; call += 1) {
      const [leaving, before] = [new AbortController(), set.llm.requests.total]
      const headers = { 'Content-Type': 'application/json' }
      const body = JSON.stringify(chat('Hello'))
      const asked = fetch(`${set.url}/pool/`, { method: 'POST', headers, body, signal: leaving.signal })
      await set.llm.requests.waitForCount(before + 1)
      leaving.abort()
      await assert.rejects(asked)
      // The broker knows the outcome once the record is here.
      await set.records.waitForCount(known + call + 1)
    }
    set.llm.respond(undefined)
    const picks = []
    for (let call = 0; call < 30; call += 1) picks.push(await pick())
    assert.ok(picks.every(({ status }) => status === 200))
    assert.equal(new Set(picks.map(({ path }) => path)).size, LIVING.length)
  })

  it('a 400 disables no member, a 429 disables the member that sent it, and the other members answer', async () => {
    set.llm.respond(() => jsonAnswer({ error: 'yours' }, { status: 400 }))
    for (let call = 0; call < 10; call += 1) assert.equal((await pick()).status, 400)
    set.llm.respond(({ url }) => jsonAnswer({}, { status: url.includes('/gpt4/') ? 429 : 200 }))
    const picks = []
    for (let call = 0; call < 20; call += 1) picks.push(await pick())
    const refused = picks.filter(({ status }) => status === 429)
    assert.ok(refused.length <= 1, `${refused.length}`)
    assert.ok(refused.every(({ path }) => path === '/pool/gpt4/'))
    // A direct call still reaches the member, and its answer counts for the pool too.
    assert.equal((await pick('/pool/gpt4/')).status, 429)
    for (let call = 0; call < 10; call += 1) assert.deepEqual(await pick(), { status: 200, path: '/pool/gpt35turbo/' })
  })

  it('without the broker, which is required, the caller gets 503 and no call is made', async () => {
    set.llm.requests.clear()
    await set.stopAll('broker')
    const { status, json } = await set.ask('/pool/', chat('Hello'))
    assert.equal(status, 503)
    assert.match(JSON.stringify(json), /PROCESSOR_REQUIRED/)
    assert.equal(set.llm.requests.total, 0)
  })

  it('a new broker process knows the disabled members', async () => {
    await set.start('broker')
    for (let call = 0; call < 10; call += 1) assert.deepEqual(await pick(), { status: 200, path: '/pool/gpt35turbo/' })
  })

  it('with all members disabled each call still makes one attempt', async () => {
    set.llm.respond(() => jsonAnswer({}, { status: 500 }))
    // The remaining members fail too; then all are disabled.
    await pick()
    set.llm.requests.clear()
    const statuses = []
    for (let call = 0; call < 6; call += 1) statuses.push((await pick()).status)
    assert.ok(
      statuses.every((status) => status === 500 || status === 502),
      statuses.join(),
    )
    assert.equal(set.llm.requests.total, statuses.filter((status) => status === 500).length)
  })
})
