import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { logIn, PHONE, saveScreenshot, sceneForTests } from './scene.ts'

const { scene, skip } = await sceneForTests(process.env)
after(() => scene.close())

test('calls appear as they end, filters find them, and a pause stops the list', { skip }, async () => {
  const page = await scene.open()
  await logIn(page, scene.url)
  await page.getByRole('link', { name: 'Transactions', exact: true }).click()
  await page.getByText('Waiting for calls').waitFor()
  await call('/echo/')
  await call('/service/standard/v1/chat/completions')
  const lines = page.getByRole('region', { name: 'Live' }).getByRole('listitem')
  await lines.nth(1).waitFor()
  await page
    .getByRole('button', { name: /^Router/ })
    .or(page.getByLabel('Router'))
    .first()
    .click()
  await page.getByRole('option', { name: '/echo/' }).click()
  await call('/echo/')
  await lines.first().waitFor()
  assert.deepEqual([...new Set(await lines.locator('.mono').allTextContents())], ['/echo/'])
  await page.getByRole('button', { name: 'Pause' }).click()
  const before = await lines.count()
  await call('/echo/')
  await page.getByText('Paused').waitFor()
  assert.equal(await lines.count(), before)
  await saveScreenshot(page, 'live')
  await page.getByRole('link', { name: 'History' }).click()
  const kept = page.getByRole('region', { name: 'History' }).getByRole('listitem')
  await kept.nth(2).waitFor()
  const links = await kept.getByRole('link').all()
  const boxes = await Promise.all(links.map((link) => link.boundingBox()))
  const tops = boxes.map((box) => Math.round(box?.y ?? 0)).toSorted((one, other) => one - other)
  const [first = 0] = tops
  const height = Math.round(boxes[0]?.height ?? 0)
  assert.deepEqual(
    tops,
    tops.map((_, index) => first + index * height),
    'lines follow each other without a gap',
  )
  await saveScreenshot(page, 'history')
})

test('an answer is shown while it streams, and its record shows the question and the answer', { skip }, async () => {
  const page = await scene.open()
  await logIn(page, scene.url)
  await page.goto(`${scene.url}/try?router=/service/standard/`)
  await page.getByText('Stream the answer').click()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText(/complete after/).waitFor()
  const shownAnswer = (await page.getByRole('tabpanel', { name: 'Answer' }).textContent()) ?? ''
  assert.ok(shownAnswer.length > 0 && !shownAnswer.includes('data:'), shownAnswer)
  await page.getByText('streamed', { exact: true }).waitFor()
  await page.getByText('assistant').first().waitFor()
  await saveScreenshot(page, 'streamed')
  for (const tab of ['Four hops', 'Payload diff', 'Timeline', 'Raw JSON']) {
    await page.getByRole('tab', { name: tab }).click()
    await page.getByRole('tabpanel', { name: tab }).waitFor()
    await page.getByText('Loading…').waitFor({ state: 'detached' })
    await saveScreenshot(page, `record-${tab.toLowerCase().replace(' ', '-')}`)
  }
})

test('the overview shows the running parts and the problems, and each snippet names the router', { skip }, async () => {
  const page = await scene.open()
  await logIn(page, scene.url)
  await page.getByText(/routers? active/).waitFor()
  await page.getByText('connected', { exact: true }).waitFor()
  await saveScreenshot(page, 'overview')
  await page.getByRole('link', { name: 'Routers', exact: true }).click()
  await page.getByRole('link', { name: '/restricted/' }).click()
  for (const language of ['Python, OpenAI SDK', 'JavaScript, Anthropic SDK', 'curl']) {
    await page
      .getByLabel('Language')
      .or(page.getByRole('button', { name: /Language/ }))
      .first()
      .click()
    await page.getByRole('option', { name: language }).click()
    await page
      .getByText(new RegExp(`${new URL(scene.gateway).port}/restricted`))
      .first()
      .waitFor()
    await page
      .getByText(/GATEWAY_API_KEY/)
      .nth(1)
      .waitFor()
  }
  await saveScreenshot(page, 'snippets')
})

test('on a phone one button opens the navigation to every page', { skip }, async () => {
  const page = await scene.open({ viewport: PHONE, hasTouch: true, isMobile: true })
  await logIn(page, scene.url)
  await page.getByRole('button', { name: 'Menu' }).click()
  await saveScreenshot(page, 'phone-menu')
  await page.getByRole('link', { name: 'Transactions', exact: true }).click()
  await page.getByRole('heading', { name: 'Transactions' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Processors' }).isVisible(), false)
})

async function call(path: string): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] })
  const answer = await fetch(`${scene.gateway}${path}`, { method: 'POST', headers, body })
  assert.equal(answer.status, 200)
  await answer.text()
}
