import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { startLoad } from './load.ts'
import { deploy, logIn, SECRETS, saveScreenshot, sceneForTests } from './scene.ts'

const { scene, skip } = await sceneForTests(process.env)
after(() => scene.close())

test('a person gets from the login to a live router and the record of its first call by following the page', {
  skip,
}, async () => {
  const page = await scene.open()
  await page.goto(`${scene.url}/login`)
  await saveScreenshot(page, 'login')
  await logIn(page, scene.url)
  await page.getByRole('link', { name: 'Routers', exact: true }).click()
  await page.getByRole('link', { name: 'Add router' }).click()
  await page.getByLabel('Path').fill('/team/')
  await page.getByRole('button', { name: 'Add to the draft' }).click()
  await page.getByRole('heading', { name: '/team/' }).waitFor()
  await page.getByText('AISERVICE_API_BASE is set').waitFor()
  await saveScreenshot(page, 'router')

  assert.equal((await call('/team/')).status, 404)
  await page.getByRole('link', { name: 'Review and deploy' }).click()
  await page.getByText('"/team/"').first().waitFor()
  await saveScreenshot(page, 'changes')
  await deploy(page)
  assert.equal((await call('/team/')).status, 200)
  await saveScreenshot(page, 'deployed')

  await page.getByRole('link', { name: 'Try it now' }).click()
  await page.getByRole('button', { name: /Router/ }).click()
  await page.getByRole('option', { name: '/echo/' }).click()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('200', { exact: true }).first().waitFor()
  await page.getByRole('link', { name: 'Open the record’s page' }).waitFor()
  await saveScreenshot(page, 'tried')
  await page.getByRole('link', { name: 'Open the record’s page' }).click()
  await page.getByRole('heading', { name: 'Record' }).waitFor()
  await page.getByText('Hello, who are you?').first().waitFor()
  await saveScreenshot(page, 'record')
})

test('a router is live within 12 actions, its first call is answered, and no other call fails meanwhile', {
  skip,
}, async (context) => {
  const page = await scene.open()
  let actions = 0
  const click = async (locator: Locator): Promise<void> => {
    actions += 1
    await locator.click()
  }
  const fill = async (label: string, text: string): Promise<void> => {
    actions += 1
    await page.getByLabel(label).fill(text)
  }
  await page.goto(`${scene.url}/login`)
  await fill('Password', SECRETS.GUI_SECRET)
  await click(page.getByRole('button', { name: 'Log in' }))
  await click(page.getByRole('link', { name: 'Routers', exact: true }))
  await click(page.getByRole('link', { name: 'Add router' }))
  await fill('Path', '/counted/')
  await click(page.getByRole('button', { name: 'Add to the draft' }))
  await click(page.getByRole('link', { name: 'Review and deploy' }))
  const load = startLoad({
    url: scene.gateway,
    paths: ['/echo/', '/service/standard/v1/chat/completions'],
    perSecond: 200,
  })
  await load.until(100)
  await click(page.getByRole('button', { name: 'Deploy', exact: true }))
  await page.getByText('Live', { exact: true }).waitFor()
  const began = performance.now()
  const first = await call('/counted/')
  const tookMs = Math.round(performance.now() - began)
  await load.until(load.ended + 100)
  const { ended, failures } = await load.stop()
  context.diagnostic(
    `${actions} actions; the first call was answered after ${tookMs} ms; ${ended} calls beside the deploy`,
  )
  assert.equal(first.status, 200)
  assert.deepEqual(failures, [])
  assert.ok(actions <= 12, `${actions} actions`)
})

function call(path: string): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] })
  return fetch(`${scene.gateway}${path}v1/chat/completions`, { method: 'POST', headers, body })
}
