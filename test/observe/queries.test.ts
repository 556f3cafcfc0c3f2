import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLoad } from '../fake/load.ts'
import { startScene } from '../fake/scene.ts'
import { alertQueries, panelQueries, selectorsOf } from './named-queries.ts'
import { startPrometheus } from './prometheus.ts'
import { whyNoPrometheus } from './promtool.ts'

const skip = await whyNoPrometheus(process.env)

/** A required processor that isn't there: its router's calls are refused. */
const ABSENT = {
  name: 'absent',
  service_bus_topic: 'llm.gl.custom.absent',
  timeout: 100,
  required: true,
  routers: ['/required/'],
}

test('every metric and label that a panel or an alert names has data', { skip }, async () => {
  await using scene = await startScene({
    admin: true,
    routers: (url) => [
      { path: '/llm/', outbound: { url } },
      { path: '/required/', outbound: { url } },
    ],
    config: { request: { processors: [[ABSENT]] } },
  })
  await using prometheus = await startPrometheus([
    { url: scene.gateway.adminUrl ?? '', labels: { namespace: 'llm', gateway: 'main', pod: 'main-0' } },
  ])
  await using load = startLoad({ port: scene.gateway.port, paths: ['/llm/v1/chat/completions'], rate: 50 })
  await load.more(50)
  await ask(`${scene.gateway.url}/llm/v1/chat/completions`, { stream: true })
  await ask(`${scene.gateway.url}/required/v1/chat/completions`, {})
  await prometheus.scraped(5)
  const empty: string[] = []
  const queries = [...panelQueries('10s'), ...alertQueries()]
  assert.ok(queries.length > 0)
  for (const { place, expr, labels } of queries) {
    for (const selector of selectorsOf(expr)) {
      if ((await prometheus.query(selector)).length === 0) empty.push(`${place}: ${selector}`)
    }
    const series = await prometheus.query(expr)
    for (const label of labels) {
      if (!series.some(({ metric }) => metric[label] !== undefined)) empty.push(`${place}: ${label}`)
    }
  }
  assert.deepEqual(empty, [])
})

async function ask(url: string, body: object): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hallo' }], ...body }),
  })
  await answer.text()
}
