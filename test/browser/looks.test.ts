import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, test } from 'node:test'
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
after(() => scene.close())

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
