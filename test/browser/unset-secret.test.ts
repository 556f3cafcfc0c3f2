import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { saveScreenshot, sceneForTests } from './scene.ts'

const { scene, skip } = await sceneForTests(process.env, { NATS_TOKEN: 'nats-token-0815-browser' })
after(() => scene.close())

test('without GUI_SECRET the login page says why nobody can log in and how to change that', { skip }, async () => {
  const page = await scene.open()
  await page.goto(`${scene.url}/login`)
  await page.getByText('Nobody can log in: GUI_SECRET is not set').waitFor()
  await page.getByText("GUI_SECRET='a long password' make run").waitFor()
  assert.equal(await page.getByRole('button', { name: 'Log in' }).count(), 0)
  await saveScreenshot(page, 'unset-secret')
})
