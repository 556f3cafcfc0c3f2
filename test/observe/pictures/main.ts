import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chromium } from '../../../tools/chromium/chromium.ts'
import { startLoad } from '../../fake/load.ts'
import { PATHS, startObservedScene } from '../observed-scene.ts'
import { ROOT, whyNoPrometheus } from '../promtool.ts'
import { startEditedOperator } from './edited-operator.ts'
import { FAULTS } from './faults.ts'
import { dashboardPage } from './page.ts'
import { drawnDashboard } from './panel-results.ts'

const DASHBOARDS = ['overview', 'router', 'processors', 'records', 'control-plane']
const HEALTHY_SECONDS = 40
const BROKEN_SECONDS = 50
const STREAM_EVERY_MS = 500

// Makes pictures of every dashboard during each fault: node test/observe/pictures/main.ts FOLDER [NAME…]
const [folder = '.run/pictures', ...chosen] = process.argv.slice(2)
const missing = await whyNoPrometheus(process.env)
if (missing !== false) throw new Error(missing)
const takePicture = await chromium(ROOT, process.env)
if (typeof takePicture === 'string') throw new Error(takePicture)
mkdirSync(folder, { recursive: true })
// Optional, because it needs an API server.
await using operator = chosen.includes('operator') ? await startEditedOperator() : undefined
await using scene = await startObservedScene(operator === undefined ? [] : [operator.target])
await using _loads = await loadOnBoth()
for (const [name, { begin, mend }] of Object.entries(FAULTS)) {
  if (chosen.length > 0 ? !chosen.includes(name) : name === 'operator') continue
  const start = Math.floor(Date.now() / 1_000)
  await pause(HEALTHY_SECONDS * 1_000)
  await begin(scene)
  await pause(BROKEN_SECONDS * 1_000)
  const end = Math.floor(Date.now() / 1_000)
  for (const dashboard of DASHBOARDS) {
    const { title, panels } = await drawnDashboard(dashboard, scene.prometheus, { start, end, step: 1 })
    const { html, width, height } = dashboardPage(title, panels)
    const page = resolve(folder, `${name}-${dashboard}.html`)
    writeFileSync(page, html)
    await takePicture({ page, picture: page.replace(/html$/, 'png'), width, height })
    console.log(join(folder, `${name}-${dashboard}.png`))
  }
  await mend(scene)
}

/** Makes a call with a streamed answer. Its outcome is not awaited, but visible in the pictures. */
async function startStream(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hallo' }] })
  await fetch(url, { method: 'POST', headers, body })
    .then((answer) => answer.text())
    .catch(() => undefined)
}

async function loadOnBoth(): Promise<AsyncDisposable> {
  const stack = new AsyncDisposableStack()
  for (const { port, url } of scene.gateways) {
    stack.use(startLoad({ port, paths: PATHS, rate: 10, connections: 8 }))
    const timer = setInterval(() => void startStream(`${url}/chat/v1/chat/completions`), STREAM_EVERY_MS)
    stack.defer(() => clearInterval(timer))
  }
  return stack
}
