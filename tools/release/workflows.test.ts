import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { readPublishing } from './source/publishing.ts'

const ROOT = join(import.meta.dirname, '../..')
const GITHUB = join(ROOT, '.github')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const yamlOf = (folder: string) =>
  readdirSync(join(GITHUB, folder)).map(
    (file) => [file, parse(readFileSync(join(GITHUB, folder, file), 'utf8'))] as const,
  )

type Step = { readonly run?: string; readonly uses?: string }
type Workflow = {
  readonly permissions: unknown
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>
}

/** One call of make with variables, without a second command. */
const MAKE = /^make ([a-z0-9-]+)( [A-Z_]+=("\$\{GITHUB_REF_NAME#v\}"|[\w./-]+))*$/
/** Actions are pinned by commit, since a tag can be moved. */
const ACTION = /^actions\/(checkout|setup-[a-z]+|upload-artifact)@[0-9a-f]{40}$/
const targets = new Set([...read('Makefile').matchAll(/^([a-z0-9-]+):/gm)].map(([, name]) => name))

test('workflows call make, and of others only what gets the sources and keeps the files', () => {
  const workflows = yamlOf('workflows')
  assert.deepEqual(workflows.map(([file]) => file).toSorted(), ['ci.yml', 'release.yml'])
  for (const [file, workflow] of workflows) {
    const { permissions, jobs }: Workflow = workflow
    assert.deepEqual(permissions, { contents: 'read' }, file)
    const steps = Object.values(jobs).flatMap((job) => job.steps)
    assert.ok(steps.some(({ run }) => run !== undefined))
    for (const { run, uses } of steps) {
      assert.ok((run === undefined) !== (uses === undefined), file)
      if (uses !== undefined) assert.match(uses, ACTION)
      if (run !== undefined) assert.ok(targets.has(MAKE.exec(run)?.[1] ?? ''), `${file}: ${run}`)
    }
  }
})

const NOT_MAKE = ['make', 'make test && curl x', 'make test; x', 'npm ci', 'make release VERSION=$(x)', 'make a\nx']

test('a step that does more than to call make is found', () => {
  for (const run of NOT_MAKE) assert.doesNotMatch(run, MAKE)
  for (const uses of ['actions/checkout@v4', 'others/checkout@11bd71901bbe5b1630ceea73d27597364c9af683'])
    assert.doesNotMatch(uses, ACTION)
})

test('templates of issues ask for something, each field once', () => {
  for (const [file, form] of yamlOf('ISSUE_TEMPLATE')) {
    if (file === 'config.yml') continue
    assert.ok(form.name && form.description && form.body.length > 0, file)
    const fields = form.body.filter(({ type }: { readonly type: string }) => type !== 'markdown')
    const ids: readonly string[] = fields.map(({ id }: { readonly id: string }) => id)
    assert.equal(new Set(ids).size, ids.length, file)
    for (const { attributes, type } of fields) {
      assert.ok(attributes.label, file)
      assert.ok(['input', 'textarea', 'dropdown'].includes(type), file)
    }
  }
})

test('pages name the contact and the place of the sources that publishing.json has', () => {
  const { contact, repository } = readPublishing(ROOT)
  for (const page of ['SECURITY.md', 'CODE_OF_CONDUCT.md']) assert.ok(read(page).includes(contact), page)
  assert.ok(read('.github/ISSUE_TEMPLATE/config.yml').includes(repository))
})

test('the matrix of what is supported has the versions that are pinned', () => {
  const { cluster, image, node } = JSON.parse(read('tools/versions.json'))
  const minor = (version: string): string => version.split('.').slice(0, 2).join('.')
  const row = (part: string): string =>
    new RegExp(`^\\| ${part} .*$`, 'm').exec(read('docs/operations/releases.md'))?.[0] ?? ''
  assert.ok(row('Kubernetes').includes(` ${minor(cluster.kubernetes)} `))
  const [, least = ''] = /kubeVersion: ">=([0-9.]+)-0"/.exec(read('charts/llm-gateway/Chart.yaml')) ?? []
  assert.ok(row('Kubernetes').includes(` ${minor(least)} and newer`))
  assert.ok(row('helm').includes(` ${minor(cluster.helm)}, ${minor(cluster.helm3)} `))
  assert.ok(row('Node').includes(` ${node.minimum.split('.')[0]} `))
  assert.ok(row('NATS server').includes(` ${minor(image['nats-server'].version)} in the image`))
  const [, python = ''] = /requires-python = ">=([0-9.]+)"/.exec(read('processors/sdk-python/pyproject.toml')) ?? []
  assert.ok(row('Python').includes(` ${python} and newer`))
})
