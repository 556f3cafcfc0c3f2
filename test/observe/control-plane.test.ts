import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { whyNoApiServer } from '../fake/api-server.ts'
import { freePort } from '../fake/free-port.ts'
import { DEFAULT_CLASS, type FaultScene, startFaultScene } from '../operator/fault-scene.ts'
import { gatewayOf, namespaceOf, routerOf } from '../operator/mixed-set.ts'
import { untilStarted } from '../operator/until-settled.ts'
import { until } from '../operator/wait.ts'
import { alertQueries, isOfOperator, missingIn, panelQueries, selectorsOf } from './named-queries.ts'
import { type Prometheus, startPrometheus } from './prometheus.ts'
import { promtool, whyNoPrometheus } from './promtool.ts'

const skip = whyNoApiServer(process.env) || (await whyNoPrometheus(process.env))

describe('a Prometheus that scrapes an operator', { skip }, () => {
  let scene: FaultScene
  let prometheus: Prometheus
  let url: string
  before(async () => {
    scene = await startFaultScene()
    const port = await freePort()
    url = `http://127.0.0.1:${port}`
    // Resources that exist before the operator's start are no edits.
    await untilStarted(await scene.startOperator(DEFAULT_CLASS, { port }))
    prometheus = await startPrometheus([{ url, labels: { namespace: 'llm-gateway-system', pod: 'operator-0' } }])
    await scene.admin.apply(namespaceOf('seen'), gatewayOf('seen', DEFAULT_CLASS))
    for (const name of ['one', 'two']) await scene.admin.apply(routerOf({ namespace: 'seen', name }))
    await until('a programmed Router', async () => {
      const series = await prometheus.query('llm_gateway_operator_programmed_lag_seconds_count > 0')
      return series.length > 0 ? true : undefined
    })
    await prometheus.scraped(3)
  })
  after(async () => {
    await prometheus?.close()
    await scene?.close()
  })

  test('Prometheus has data of every metric and label of the operator that a panel or an alert names', async () => {
    const queries = [...panelQueries('10s'), ...alertQueries()]
    const own = queries.filter(({ expr }) => selectorsOf(expr).some(isOfOperator))
    assert.ok(own.length > 10, `${own.length} queries`)
    assert.deepEqual(await missingIn(prometheus, own), [])
  })

  test('promtool finds no fault in the operator’s metrics', async () => {
    const { code, output } = await promtool(['check', 'metrics'], await (await fetch(`${url}/metrics`)).text())
    assert.deepEqual({ code, output }, { code: 0, output: '' })
  })
})
