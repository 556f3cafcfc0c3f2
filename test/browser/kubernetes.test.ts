import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { inspectPages, VIEWS } from './inspect-pages.ts'
import { kubernetesSceneForTests } from './kubernetes-scene.ts'
import { logIn } from './scene.ts'

const { scene, skip } = await kubernetesSceneForTests(process.env)
after(() => scene?.close())

test('a Router made in the form is a manifest that the API server accepts, and its draft survives a reload', {
  skip,
}, async () => {
  assert.ok(scene)
  const page = await scene.open({ permissions: ['clipboard-read', 'clipboard-write'] })
  await logIn(page, scene.readOnly)
  await page.getByRole('link', { name: 'Routers', exact: true }).click()
  await page.getByRole('link', { name: 'Add router' }).click()
  await page.getByLabel('Name of the resource').fill('chat')
  await page.getByLabel('Namespace').fill('team-a')
  await page.getByRole('button', { name: 'Make the manifest' }).click()
  await page.getByText('The resource exists in this browser only, not in the cluster yet.').waitFor()

  await page.getByLabel('Endpoint').fill('v1/chat/completions')
  await page.getByText('The resource is valid and would be ready.').waitFor()
  await page.reload()
  await page.getByText('The resource exists in this browser only, not in the cluster yet.').waitFor()
  assert.equal(await page.getByLabel('Endpoint').inputValue(), 'v1/chat/completions')

  await page.getByRole('button', { name: 'Copy manifest' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const manifest = await page.evaluate(() => navigator.clipboard.readText())
  assert.match(manifest, /endpoint: v1\/chat\/completions/)
  const { code, stderr } = await scene.kubectl(['apply', '--dry-run=server', '-f', '-'], manifest)
  assert.equal(code, 0, stderr)
  assert.equal(await page.getByRole('button', { name: 'Apply', exact: true }).count(), 0)
})

test('the form and the YAML edit one manifest, reasons appear beside the fields, and comments stay', {
  skip,
}, async () => {
  assert.ok(scene)
  const page = await scene.open()
  await logIn(page, scene.readOnly)
  await page.goto(`${scene.readOnly}/routers/team-a/broken`)
  await page.getByText('A variable has no value, or the address is not valid.').first().waitFor()
  await page.getByText('NOWHERE is not declared: add it below').waitFor()

  const yaml = page.getByRole('textbox', { name: 'YAML of broken' })
  await yaml.click()
  await page.keyboard.press('Control+Home')
  await page.keyboard.type('# ask the search team\n')
  await page.getByRole('button', { name: 'Declare NOWHERE' }).click()
  await page.getByLabel('Secret', { exact: true }).fill('openai')
  await page.getByLabel('Key in the object').fill('key')
  await page.getByText('The resource is valid and would be ready.').waitFor()
  const text = await yaml.textContent()
  assert.match(text ?? '', /# ask the search team/)
  assert.match(text ?? '', /- name: NOWHERE/)

  await page.getByLabel('Address of the LLM API').fill('ftp://x/')
  await page
    .getByText('The API server would reject the resource.')
    .or(page.getByText('it would not be ready'))
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Discard draft' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard draft' }).click()
  await page.getByText('No changes: the manifest equals the one in the cluster.').waitFor()
  assert.equal(await page.getByLabel('Address of the LLM API').inputValue(), 'https://api.example.com/')
})

test('in mode Edit a Router is applied and shown, and deleted after its name was typed', { skip }, async () => {
  assert.ok(scene)
  const page = await scene.open()
  await logIn(page, scene.edit)
  await makeRouter(page, scene.edit, { namespace: 'team-a', name: 'applied' })
  await page.getByRole('button', { name: 'Dry run' }).click()
  await page.getByText('The API server would create the resource.').waitFor()
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.getByText('Created.').waitFor()
  await page.getByText('No changes: the manifest equals the one in the cluster.').waitFor()
  await page.getByText('The gateway accepts this Router and its path.').first().waitFor()
  const stored = await scene.admin.get({ kind: 'Router', namespace: 'team-a', name: 'applied' })
  assert.match(JSON.stringify(stored?.metadata), /llm-gateway-web/)

  await page.getByRole('button', { name: 'Delete', exact: true }).first().click()
  const dialog = page.getByRole('alertdialog')
  assert.ok(await dialog.getByRole('button', { name: 'Delete' }).isDisabled())
  await dialog.getByLabel('Type applied to delete it').fill('applied')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'Routers', level: 1 }).waitFor()
  assert.equal(await scene.admin.get({ kind: 'Router', namespace: 'team-a', name: 'applied' }), undefined)
})

test('fields of another manager are locked and name that manager, and a conflict with that manager is shown', {
  skip,
}, async () => {
  assert.ok(scene)
  const page = await scene.open()
  await logIn(page, scene.edit)
  const manifest = `apiVersion: llmgateway.io/v1alpha1
kind: Router
metadata: {name: owned, namespace: team-a}
spec:
  gatewayRef: {name: main, namespace: llm}
  path: /team-a/owned/
  outbound: {url: "https://api.example.com/"}
`
  const helm = ['apply', '--server-side', '--field-manager=helm', '-f', '-']
  assert.equal((await scene.kubectl(helm, manifest)).code, 0)
  await page.goto(`${scene.edit}/routers/team-a/owned`)
  await page.getByText('Owned by helm: change it there.').first().waitFor()
  const address = page.getByLabel('Address of the LLM API')
  assert.equal(await address.getAttribute('readonly'), '')

  await replaceInYaml(page, 'owned', 'https://api.example.com/', 'https://other.example.com/')
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  const row = page.getByRole('row').filter({ hasText: 'outbound.url' })
  await row.getByText('helm').waitFor()
  const stored = await scene.admin.get({ kind: 'Router', namespace: 'team-a', name: 'owned' })
  assert.match(JSON.stringify(stored?.spec), /https:\/\/api\.example\.com/)
})

test('a resource that changed after its draft began is shown as three texts, and nothing is overwritten', {
  skip,
}, async () => {
  assert.ok(scene)
  const place = { kind: 'Router', namespace: 'team-a', name: 'moving' }
  const spec = {
    gatewayRef: { name: 'main', namespace: 'llm' },
    path: '/team-a/moving/',
    outbound: { url: 'https://a.example/' },
  }
  await scene.admin.apply({
    apiVersion: 'llmgateway.io/v1alpha1',
    kind: 'Router',
    metadata: { name: 'moving', namespace: 'team-a' },
    spec,
  })
  const page = await scene.open()
  await logIn(page, scene.readOnly)
  await page.goto(`${scene.readOnly}/routers/team-a/moving`)
  await page.getByLabel('Endpoint').fill('v1/mine')
  await page.getByText('The draft is stored in this browser only.').waitFor()
  await scene.admin.merge(place, { spec: { outbound: { url: 'https://b.example/' } } })
  await page.getByText('The resource changed in the cluster while you edited the draft').waitFor()
  await page.getByText('The two changes are in different places.').waitFor()
  await page.getByRole('button', { name: 'Use this text' }).click()
  await page.getByText('The resource changed in the cluster').waitFor({ state: 'detached' })
  assert.equal(await page.getByLabel('Endpoint').inputValue(), 'v1/mine')
  assert.equal(await page.getByLabel('Address of the LLM API').inputValue(), 'https://b.example/')
})

test('when the account may not write, the page shows the kubectl command that grants the right', { skip }, async () => {
  assert.ok(scene)
  const page = await scene.open()
  await logIn(page, scene.edit)
  await makeRouter(page, scene.edit, { namespace: 'llm', name: 'forbidden' })
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  const command = page.getByText(/^kubectl -n llm create rolebinding .*edit/)
  const args = (await command.textContent())?.trim().split(' ').slice(1) ?? []
  const place = { kind: 'Router', namespace: 'llm', name: 'forbidden' }
  assert.equal(await scene.admin.get(place), undefined)
  assert.equal((await scene.kubectl(args)).code, 0)
  // New rights take effect a moment later.
  for (let tries = 0; (await scene.admin.get(place)) === undefined; tries += 1) {
    assert.ok(tries < 60, 'the command gave no right')
    await page.getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByText('Created.').or(command).first().waitFor()
    await pause(500)
  }
  await page.goto(`${scene.edit}/routers`)
  await page
    .getByText(/team-b cannot be shown/)
    .first()
    .waitFor()
  await page
    .getByText(/kubectl -n team-b create rolebinding/)
    .first()
    .waitFor()
})

for (const [view, options] of Object.entries(VIEWS)) {
  test(`every page of resources (${view}) has no overflowing element and no serious finding of axe`, {
    skip,
  }, async () => {
    assert.ok(scene)
    const page = await scene.open(options)
    await logIn(page, scene.readOnly)
    const { readOnly } = scene
    const found = await inspectPages(page, view, {
      'kubernetes-overview': `${readOnly}/`,
      'kubernetes-routers': `${readOnly}/routers`,
      'kubernetes-router': `${readOnly}/routers/llm/search`,
      'kubernetes-broken': `${readOnly}/routers/team-a/broken`,
      'kubernetes-add-router': `${readOnly}/routers/add`,
      'kubernetes-processors': `${readOnly}/processors`,
      'kubernetes-processor': `${readOnly}/processors/llm/tokenizer`,
      'kubernetes-add-processor': `${readOnly}/processors/add`,
      'kubernetes-gateway': `${readOnly}/gateway`,
      'kubernetes-gone': `${readOnly}/routers/llm/nobody`,
    })
    await logIn(page, scene.edit)
    await page.goto(`${scene.edit}/routers/llm/search`)
    await page.getByText('Owned by').first().waitFor()
    const others = await inspectPages(page, view, { 'kubernetes-edit': `${scene.edit}/routers/llm/search` })
    assert.deepEqual([...found, ...others], [])
  })
}

type NewRouter = { readonly namespace: string; readonly name: string }

async function makeRouter(page: Page, url: string, { namespace, name }: NewRouter): Promise<void> {
  await page.goto(`${url}/routers/add`)
  await page.getByRole('button', { name: /LLM API/ }).click()
  await page.getByRole('option', { name: 'Another address' }).click()
  await page.getByLabel('Name of the resource').fill(name)
  await page.getByLabel('Namespace').fill(namespace)
  await page.getByLabel('Address of the LLM API').fill('https://api.example.com/')
  await page.getByRole('button', { name: 'Make the manifest' }).click()
  await page.getByText('The resource is valid and would be ready.').waitFor()
}

async function replaceInYaml(page: Page, name: string, from: string, to: string): Promise<void> {
  const yaml = page.getByRole('textbox', { name: `YAML of ${name}` })
  const text = await yaml.evaluate((element) =>
    [...element.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'),
  )
  await yaml.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text.replace(from, to))
}
