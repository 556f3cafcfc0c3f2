import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { deploy, logIn, SECRETS, saveScreenshot, sceneForTests } from './scene.ts'

const { scene, skip } = await sceneForTests(process.env)
let page: Page
before(async () => {
  if (skip !== false) return
  page = await scene.open()
  await logIn(page, scene.url)
})
after(() => scene.close())

const GL = '/api/v1/files/gl_config.json'

test('a router is copied, renamed, turned off and deleted, and a router added above it does not shift the edits', {
  skip,
}, async () => {
  await page.getByRole('link', { name: 'Routers', exact: true }).click()
  await page.getByRole('button', { name: 'Copy /service/standard/' }).click()
  await page.getByRole('heading', { name: '/service/standard-2/' }).waitFor()
  await page.getByLabel('Path').fill('/renamed/')
  await page.getByRole('heading', { name: '/renamed/' }).waitFor()
  await page.waitForURL(/renamed/)
  await page.reload()
  await page.getByRole('heading', { name: '/renamed/' }).waitFor()
  await addAbove('/above/')
  await page.getByLabel('Endpoint').fill('v1/mine')
  await untilSaved(page)
  const { routers } = await draft()
  assert.equal(routers[0]?.path, '/above/')
  assert.deepEqual(
    routers.filter(({ outbound }) => outbound?.endpoint === 'v1/mine').map(({ path }) => path),
    ['/renamed/'],
  )
  await page.getByRole('link', { name: 'Routers', exact: true }).click()
  await page.getByRole('switch', { name: '/renamed/ is on' }).click({ force: true })
  await page.getByText('off', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Review and deploy' }).click()
  await deploy(page)
  assert.equal(JSON.parse(scene.live('gl_config.json')).routers.at(-1).disabled, true)
  await page.getByRole('link', { name: 'Routers', exact: true }).click()
  await page.getByRole('button', { name: 'Delete /renamed/' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Still live until you deploy: /renamed/').waitFor()
  await page.getByRole('link', { name: 'Review and deploy' }).click()
  await deploy(page)
  assert.doesNotMatch(scene.live('gl_config.json'), /renamed/)
})

test('the copied curl command repeats a call, with its key as a variable', { skip }, async () => {
  const key = 'key-of-a-caller'
  const headers = { 'Content-Type': 'application/json', 'Api-Key': key }
  const body = JSON.stringify({ messages: [{ role: 'user', content: "It's me" }] })
  await (await fetch(`${scene.gateway}/echo/again?a=b%20c`, { method: 'POST', headers, body })).text()
  const other = await scene.open({ permissions: ['clipboard-read', 'clipboard-write'] })
  await logIn(other, scene.url)
  await other.goto(`${scene.url}/transactions?view=history&router=/echo/`)
  await other.getByRole('region', { name: 'History' }).getByRole('link').first().click()
  await other.getByRole('button', { name: 'Copy as curl' }).click()
  await other.getByText('Copied').waitFor()
  const command = await other.evaluate(() => navigator.clipboard.readText())
  assert.ok(!command.includes(key) && command.includes('$API_KEY'), command)
  const environment = { PATH: process.env.PATH ?? '', API_KEY: key }
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: environment })
  assert.deepEqual(JSON.parse(stdout), JSON.parse(body))
  await other.close()
})

test('the edits of one draft by two people are merged', { skip }, async () => {
  const other = await scene.open()
  await logIn(other, scene.url, 'Grace')
  for (const one of [page, other]) await openRouter(one, '/service/standard/')
  await other.context().setOffline(true)
  await other.getByLabel('Endpoint').fill('v1/of-grace')
  await other.getByText('Not saved').waitFor()
  await page.getByLabel('Path').fill('/service/of-ada/')
  await untilSaved(page)
  await other.context().setOffline(false)
  await other.getByRole('button', { name: 'Try again' }).click()
  await other.getByRole('link', { name: 'Merge both' }).click()
  await other.getByText('Somebody else saved this draft while you edited it').waitFor()
  await other.getByText('The two changes are in different places').waitFor()
  await saveScreenshot(other, 'draft-conflict')
  await other.getByRole('button', { name: 'Save this as the draft' }).click()
  await other.getByText('Somebody else saved this draft').waitFor({ state: 'detached' })
  const { routers } = await draft()
  const both = routers.find(({ path }) => path === '/service/of-ada/')
  assert.equal(both?.outbound?.endpoint, 'v1/of-grace')
  await discard(other)
  await other.close()
})

test('a session that ends shows the login page, and the text being typed is saved after the next login', {
  skip,
}, async () => {
  await openRouter(page, '/service/standard/')
  process.kill(scene.pid('gui'), 'SIGKILL')
  await page.getByLabel('Endpoint').fill('v1/typed-meanwhile')
  await page.getByText('Your session has ended').waitFor()
  await saveScreenshot(page, 'session-ended')
  await page.getByLabel('Password').fill(SECRETS.GUI_SECRET)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: '/service/standard/' }).waitFor()
  await untilSaved(page)
  assert.ok((await draft()).routers.some(({ outbound }) => outbound?.endpoint === 'v1/typed-meanwhile'))
  await discard(page)
})

test('a draft with a rejected router is deployed only after an explicit confirmation', { skip }, async () => {
  await openRouter(page, '/service/standard/')
  await page.getByLabel('Address of the LLM API').fill('${NOT_SET_ANYWHERE}')
  await untilSaved(page)
  await page.getByRole('link', { name: 'Changes' }).click()
  await page.getByText('without the routers below').waitFor()
  const action = page.getByRole('button', { name: 'Deploy', exact: true })
  assert.equal(await action.isEnabled(), false)
  await page.getByText('Deploy anyway').click()
  await action.click()
  await page.getByText('Live, but some routers were rejected').waitFor()
  await page
    .getByText(/Outbound\.Url|outbound\.url/i)
    .first()
    .waitFor()
  await saveScreenshot(page, 'deployed-rejected')
  await page.getByRole('link', { name: 'Routers', exact: true }).click()
  await page.getByText('rejected', { exact: true }).first().waitFor()
})

test('a conflict in nats-server.conf is merged as text', { skip }, async () => {
  await page.goto(`${scene.url}/settings?file=nats-server.conf`)
  const editor = page.getByRole('textbox', { name: 'nats-server.conf' })
  await editor.waitFor()
  const live = scene.live('nats-server.conf')
  await editor.fill(`# mine\n${live}`)
  await page.getByText('Draft saved').waitFor()
  scene.editLive('nats-server.conf', (text) => `${text}\n# theirs\n`)
  await page.goto(`${scene.url}/changes?file=nats-server.conf`)
  await page.getByText('The live file was changed while you edited the draft').waitFor()
  await page.getByText('The two changes are in different places').waitFor()
  await page.getByRole('button', { name: 'Save this as the draft' }).click()
  await page.getByText('The live file was changed').waitFor({ state: 'detached' })
  const { text } = await askServer('GET', '/api/v1/files/nats-server.conf')
  assert.ok(text.startsWith('# mine\n') && text.endsWith('\n# theirs\n'), text)
  await discard(page)
})

test('a session is shown as one conversation, and each of its calls links to its record', { skip }, async () => {
  const ask = async (messages: readonly object[], session?: string) => {
    const headers = { 'Content-Type': 'application/json', ...(session === undefined ? {} : { 'Session-Id': session }) }
    const answer = await fetch(`${scene.gateway}/echo/`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ messages }),
    })
    await answer.text()
    return answer.headers.get('Session-Id') ?? ''
  }
  const says = (role: string, content: string) => ({ role, content })
  const first = [says('user', 'What is a router?')]
  const second = [...first, says('assistant', 'A path.'), says('user', 'And a session?')]
  const third = [...second, says('assistant', 'Calls that follow one another.'), says('user', 'Thanks')]
  const session = await ask(first)
  const next = await ask(second, session)
  await ask(third, next)
  await page.goto(`${scene.url}/transactions?view=history&router=/echo/&text=What%20is%20a%20router`)
  await page.getByRole('region', { name: 'History' }).getByRole('link').nth(2).waitFor()
  await page.getByRole('region', { name: 'History' }).getByRole('link').first().click()
  await page.getByRole('link', { name: 'Session as a conversation' }).click()
  const calls = page.getByRole('region', { name: 'The session as a conversation' }).getByRole('article')
  await calls.nth(2).waitFor()
  await calls.nth(2).getByText('Thanks').waitFor()
  await saveScreenshot(page, 'conversation')
  for (const text of ['What is a router?', 'And a session?', 'Thanks'])
    assert.equal(await page.getByText(text, { exact: true }).count(), 1, text)
  await calls
    .first()
    .getByRole('link', { name: /^Record of/ })
    .click()
  await page.getByRole('heading', { name: 'Record' }).waitFor()
})

test('a slowly typed key is saved completely, and a deploy asks for no confirmation about routers that were off before', {
  skip,
}, async () => {
  await openRouter(page, '/echo/')
  await page.getByRole('button', { name: 'Add a header for callers' }).click()
  await page.getByLabel('Headers that callers must send: name').last().fill('Api-Key')
  const key = page.getByLabel('Headers that callers must send: value of Api-Key')
  await key.focus()
  await page.keyboard.type('slowly-')
  await untilSaved(page)
  // The server has masked the half-typed key; there is no click between the two halves.
  await page.keyboard.type('typed')
  await untilSaved(page)
  assert.equal(await key.inputValue(), 'slowly-typed')
  await page.getByLabel('Path').focus()
  await page.getByText('The value is kept and not shown.').waitFor()
  assert.doesNotMatch(await key.inputValue(), /slowly|typed/)
  await page.getByRole('link', { name: 'Review and deploy' }).click()
  await page.getByText('without the routers below').waitFor()
  await deploy(page)
  assert.match(scene.live('gl_config.json'), /"slowly-typed"/)
  await page.getByText('Some routers are rejected, as before.').waitFor()
})

type Written = { readonly path: string; readonly outbound?: { readonly endpoint?: string } }

async function askServer(method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${SECRETS.GUI_SECRET}`, 'content-type': 'application/json' }
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) }
  const answer = await fetch(`${scene.url}${path}`, init)
  assert.equal(answer.status, 200)
  return await answer.json()
}

async function draft(): Promise<{ readonly routers: readonly Written[] }> {
  return JSON.parse((await askServer('GET', GL)).text)
}

/** Adds a router above the others, as another person's script would. */
async function addAbove(path: string): Promise<void> {
  const { tag } = await askServer('GET', GL)
  const value = { path, outbound: { url: 'https://localhost' } }
  await askServer('PUT', `${GL}/draft`, { tag, edits: [{ op: 'insert', path: ['routers', 0], value }] })
  // Waits until the page has seen the change.
  await page.getByText('Draft saved').waitFor()
  await page.waitForResponse((response) => response.url().endsWith('/files/gl_config.json'))
}

async function openRouter(one: Page, path: string): Promise<void> {
  await one.getByRole('link', { name: 'Routers', exact: true }).click()
  await one.getByRole('link', { name: path, exact: true }).click()
  await one.getByRole('heading', { name: path }).waitFor()
}

async function untilSaved(one: Page): Promise<void> {
  await one.getByText('Saving…').waitFor({ state: 'detached' })
  await one.getByText('Draft saved').waitFor()
}

async function discard(one: Page): Promise<void> {
  await one.getByRole('link', { name: 'Changes' }).click()
  await one.getByRole('button', { name: 'Discard draft' }).click()
  await one.getByRole('alertdialog').getByRole('button', { name: 'Discard draft' }).click()
  await one.getByText('No changes in this file').waitFor()
}
