import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { inspectPages, VIEWS } from './inspect-pages.ts'
import { logIn, saveScreenshot, sceneForTests } from './scene.ts'

const PAGES = {
  overview: '/',
  routers: '/routers',
  'add-router': '/routers/add',
  router: '/routers/edit?path=/service/standard/',
  processors: '/processors',
  transactions: '/transactions',
  history: '/transactions?view=history',
  try: '/try',
  changes: '/changes',
  files: '/settings',
} as const
const { scene, skip } = await sceneForTests(process.env)
const callers = new AbortController()
let calling: Promise<void> | undefined
before(() => {
  if (skip === false) calling = callOn(callers.signal)
})
after(async () => {
  callers.abort()
  await calling
  await scene.close()
})

for (const [view, options] of Object.entries(VIEWS)) {
  test(`every page (${view}) has no overflowing element and no serious finding of axe`, { skip }, async () => {
    const page = await scene.open(options)
    await logIn(page, scene.url)
    const addresses = Object.entries(PAGES).map(([name, path]) => [name, `${scene.url}${path}`])
    assert.deepEqual(await inspectPages(page, view, Object.fromEntries(addresses)), [])
  })
}

test('the charts show the calls, and the README’s pictures are saved', { skip }, async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await scene.open({ colorScheme, viewport: { width: 1280, height: 960 } })
    await logIn(page, scene.url)
    const rate = page.getByRole('figure', { name: 'Calls per second' })
    await rate.getByText(/calls [1-9]/).waitFor()
    await page
      .getByRole('figure', { name: 'Tokens per second' })
      .getByText(/output [1-9]/)
      .waitFor()
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.getByRole('button', { name: /^15 minutes/ }).click()
    await page.getByRole('option', { name: '5 minutes', exact: true }).click()
    await page
      .getByRole('figure', { name: 'Time to the first token' })
      .getByText(/median/)
      .waitFor()
    await saveScreenshot(page, `overview-${colorScheme}`, false)
  }
})

/** Makes calls, some of which fail, as content for lists and charts. */
async function callOn(signal: AbortSignal): Promise<void> {
  const messages = [{ role: 'user', content: 'Who founded Microsoft?' }]
  const headers = { 'Content-Type': 'application/json' }
  for (let count = 0; !signal.aborted; count += 1) {
    const path = count % 6 === 5 ? '/echo/' : count % 8 === 7 ? '/nobody/' : '/service/standard/v1/chat/completions'
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages, stream: count % 4 === 2 })
    await fetch(`${scene.gateway}${path}`, { method: 'POST', headers, body }).then((answer) => answer.text())
    await pause(50 + 40 * Math.sin(count / 40))
  }
}
