import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { PHONE, saveScreenshot } from './scene.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The page's policy is bypassed for axe only; the other tests keep it. */
export const VIEWS: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light', bypassCSP: true },
  dark: { colorScheme: 'dark', bypassCSP: true },
  phone: { viewport: PHONE, hasTouch: true, isMobile: true, bypassCSP: true },
}

/** Opens each page (name → address) and makes a picture. Returns overflowing elements and axe's serious findings. */
export async function inspectPages(
  page: Page,
  view: string,
  pages: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const [name, address] of Object.entries(pages)) {
    await page.goto(address)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await untilQuiet(page)
    await saveScreenshot(page, `${view}-${name}`)
    const sticksOut = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    if (sticksOut > 0) found.push(`${name} is ${sticksOut} px too wide`)
    found.push(...(await seriousFindings(page)).map((finding) => `${name}: ${finding}`))
  }
  return found
}

/** Waits until the page has loaded all its files. */
async function untilQuiet(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => undefined)
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
