import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { logIn, PHONE, picture, sceneForTests } from './scene.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PAGES = {
  overview: '/',
  routers: '/routers',
  'add-router': '/routers/add',
  router: '/routers/1',
  processors: '/processors',
  transactions: '/transactions',
  history: '/transactions?view=history',
  try: '/try',
  changes: '/changes',
  files: '/settings',
} as const
const VIEWS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  phone: { viewport: PHONE, hasTouch: true, isMobile: true },
}

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
  test(`every page, ${view}: nothing sticks out, axe finds nothing serious`, { skip }, async () => {
    // Only axe itself is let past the page's policy; the other tests have it in force.
    const page = await scene.open({ ...options, bypassCSP: true })
    await logIn(page, scene.url)
    const found: string[] = []
    for (const [name, path] of Object.entries(PAGES)) {
      await page.goto(`${scene.url}${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await untilQuiet(page)
      await picture(page, `${view}-${name}`)
      const sticksOut = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      if (sticksOut > 0) found.push(`${name} is ${sticksOut} px too wide`)
      found.push(...(await seriousFindings(page)).map((finding) => `${name}: ${finding}`))
    }
    assert.deepEqual(found, [])
  })
}

test('charts draw what callers did: the pictures of README', { skip }, async () => {
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
    await picture(page, `overview-${colorScheme}`, false)
  }
})

/** So that lists and charts have something to show: some calls fail. */
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

/** All that was asked for has come. */
async function untilQuiet(page: Page): Promise<void> {
  await page.getByText('Loading…').first().waitFor({ state: 'detached' })
}

async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  const violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[] =
    await page.evaluate('axe.run().then(({ violations }) => violations)')
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`)
}
