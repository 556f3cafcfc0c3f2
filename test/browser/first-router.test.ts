import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { deploy, logIn, picture, sceneForTests } from './scene.ts'

const { scene, skip } = await sceneForTests(process.env)
after(() => scene.close())

test('from the login to a live router and the record of its first call, by what a person sees', { skip }, async () => {
  const page = await scene.open()
  await page.goto(`${scene.url}/login`)
  await picture(page, 'login')
  await logIn(page, scene.url)
  await page.getByRole('link', { name: 'Routers', exact: true }).click()
  await page.getByRole('link', { name: 'Add router' }).click()
  await page.getByLabel('Path').fill('/team/')
  await page.getByRole('button', { name: 'Add to the draft' }).click()
  await page.getByRole('heading', { name: '/team/' }).waitFor()
  await page.getByText('AISERVICE_API_BASE is set').waitFor()
  await picture(page, 'router')

  assert.equal((await call('/team/')).status, 404)
  await page.getByRole('link', { name: 'Review and deploy' }).click()
  await page.getByText('"/team/"').first().waitFor()
  await picture(page, 'changes')
  await deploy(page)
  assert.equal((await call('/team/')).status, 200)
  await picture(page, 'deployed')

  await page.getByRole('link', { name: 'Try it now' }).click()
  await page.getByRole('button', { name: /Router/ }).click()
  await page.getByRole('option', { name: '/echo/' }).click()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('200', { exact: true }).first().waitFor()
  await page.getByRole('link', { name: 'Open its page' }).waitFor()
  await picture(page, 'tried')
  await page.getByRole('link', { name: 'Open its page' }).click()
  await page.getByRole('heading', { name: 'Record' }).waitFor()
  await page.getByText('Hello, who are you?').first().waitFor()
  await picture(page, 'record')
})

function call(path: string): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' }
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] })
  return fetch(`${scene.gateway}${path}v1/chat/completions`, { method: 'POST', headers, body })
}
