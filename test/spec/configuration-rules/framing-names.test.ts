import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGateway, startGatewayProcess } from '../../fake/gateway.ts'
import { startLlm } from '../../fake/llm.ts'
import { jsonAnswer } from '../../fake/llm-answer.ts'

// Rules: docs/reference/configuration-rules.md#rejection, docs/reference/gl-config.md

const RESERVED_NAMES = [
  'Trailer',
  'Content-Length',
  'content-type',
  'Transfer-Encoding',
  'Connection',
  'Host',
  'Date',
  'Set-Cookie',
]

test('a session header with a reserved name fails the reload, and the process serves on', async () => {
  await using gateway = await startGatewayProcess({ admin: true })
  const failures = () => gateway.lines.entries.filter((line) => line.includes('reserved_header:'))
  for (const [index, name] of RESERVED_NAMES.entries()) {
    await gateway.editConfig((config) => ({ ...config, session_id_header: name }))
    await gateway.lines.waitUntil(() => failures().length > index, { what: `a line that refuses ${name}` })
    const answer = await fetch(`${gateway.url}/echo/`, { method: 'POST', body: '{}' })
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('session-id') ?? '', /^GATEWAY1_/)
  }
})

const FRAMING = [
  'Content-Length',
  'Transfer-Encoding',
  'Connection',
  'Trailer',
  'TE',
  'Expect',
  'Upgrade',
  'Keep-Alive',
]

test('a router that sets a framing header is rejected; such a name elsewhere breaks no framing', async () => {
  await using llm = await startLlm({ respond: () => jsonAnswer({ ok: true }) })
  const { url } = llm
  const set = FRAMING.map((name) => ({ path: `/set/${name}/`, outbound: { url, headers: { [name]: ['1'] } } }))
  const asked = FRAMING.map((name) => ({
    path: `/asked/${name}/`,
    ingress: { headers: { [name]: ['regex:.+'] } },
    outbound: { url },
  }))
  const config = { remove_headers: FRAMING, masked_headers: FRAMING, routers: [...set, ...asked] }
  await using gateway = await startGateway({ config })
  const line = gateway.logs.entries.find(({ msg }) => msg === 'configuration has rejected fields')
  const fields = FRAMING.map((name, i) => [`gl_config.Routers[${i}].Router.Outbound.Headers[${name}]`, 'router:'])
  assert.deepEqual(line?.rejected_fields, Object.fromEntries(fields))
  for (const name of FRAMING) {
    const rejected = await fetch(`${gateway.url}/set/${name}/`, { method: 'POST', body: '{}' })
    assert.equal(rejected.status, 404)
    const answer = await fetch(`${gateway.url}/asked/${name}/`, { method: 'POST', body: '{"a":1}' })
    assert.ok([200, 401].includes(answer.status), `${name}: ${answer.status}`)
    await answer.text()
  }
  assert.ok(llm.requests.total > 0)
  for (const request of llm.requests.entries) assert.deepEqual(request.header('content-length'), ['7'])
})
