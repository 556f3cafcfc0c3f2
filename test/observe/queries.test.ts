import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Load, startLoad } from '../fake/load.ts'
import { alertQueries, isOfOperator, missingIn, panelQueries, selectorsOf } from './named-queries.ts'
import { type ObservedScene, PATHS, startObservedScene } from './observed-scene.ts'
import { promtool, whyNoPrometheus } from './promtool.ts'

describe('a Prometheus that scrapes gateways, processors, sinks and a bus', {
  skip: await whyNoPrometheus(process.env),
}, () => {
  let scene: ObservedScene
  let load: Load
  before(async () => {
    scene = await startObservedScene()
    const [first, second] = scene.gateways
    load = startLoad({ port: first.port, paths: PATHS, rate: 20 })
    await load.more(20)
    for (const gateway of [first, second]) {
      for (const path of [...PATHS, '/away/v1/chat/completions', '/required/v1/chat/completions'])
        await ask(`${gateway.url}${path}`)
    }
    await scene.prometheus.scraped(6)
  })
  after(async () => {
    await load?.stop()
    await scene?.close()
  })

  test('Prometheus has data of every metric and label that a panel or an alert names', async () => {
    const queries = [...panelQueries('10s'), ...alertQueries()]
    const own = queries.filter(({ expr }) => !selectorsOf(expr).some(isOfOperator))
    assert.ok(own.length > 60, `${own.length} queries`)
    assert.deepEqual(await missingIn(scene.prometheus, own), [])
  })

  test('Prometheus sees one configuration in all pods of a gateway', async () => {
    assert.equal((await scene.prometheus.query('count by (digest) (llm_gateway_config_info)')).length, 1)
  })

  test('promtool finds no fault in the metrics of any program', async () => {
    for (const { url } of scene.targets) {
      const { code, output } = await promtool(['check', 'metrics'], await (await fetch(`${url}/metrics`)).text())
      assert.deepEqual({ url, code, output }, { url, code: 0, output: '' })
    }
  })
})

async function ask(url: string): Promise<void> {
  const messages = [{ role: 'user', content: 'Who were the founders of Microsoft?' }]
  const body = JSON.stringify({ model: 'm', stream: true, stream_options: { include_usage: true }, messages })
  await (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).text()
}
