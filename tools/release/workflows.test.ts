import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
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

type Step = { readonly run?: string; readonly uses?: string; readonly with?: Readonly<Record<string, unknown>> }
type Job = {
  readonly 'runs-on': string
  readonly container?: { readonly image: string }
  readonly permissions?: Readonly<Record<string, string>>
  readonly steps: readonly Step[]
}
type Workflow = { readonly permissions: unknown; readonly jobs: Readonly<Record<string, Job>> }

/** One call of make with variables, without a second command. */
const MAKE = /^make ([a-z0-9-]+)( [A-Z_]+=("\$\{GITHUB_REF_NAME#v\}"|[\w./-]+))*$/
/** Actions are pinned by commit, since a tag can be moved; the version stands behind for readers. */
const ACTION = /^actions\/(checkout|setup-go|upload-artifact|attest-build-provenance)@[0-9a-f]{40}$/
const USES = /^ +- uses: (\S+)(.*)$/gm
const targets = new Set([...read('Makefile').matchAll(/^([a-z0-9-]+):/gm)].map(([, name]) => name))
const workflows: readonly (readonly [file: string, workflow: Workflow])[] = yamlOf('workflows')
const versions = JSON.parse(read('tools/versions.json'))

test('workflows call make, and actions only get the sources and Go, sign and keep the files', () => {
  assert.deepEqual(workflows.map(([file]) => file).toSorted(), ['ci.yml', 'release.yml'])
  for (const [file, { permissions, jobs }] of workflows) {
    assert.deepEqual(permissions, { contents: 'read' }, file)
    const steps = Object.values(jobs).flatMap((job) => job.steps)
    assert.ok(steps.some(({ run }) => run !== undefined))
    for (const { run, uses } of steps) {
      assert.ok((run === undefined) !== (uses === undefined), file)
      if (uses !== undefined) assert.match(uses, ACTION)
      if (run !== undefined) assert.ok(targets.has(MAKE.exec(run)?.[1] ?? ''), `${file}: ${run}`)
    }
    for (const [, uses, comment = ''] of read(`.github/workflows/${file}`).matchAll(USES))
      assert.match(comment, /^ # v\d+\.\d+\.\d+$/, uses)
  }
})

test('the workflows use the pinned machines, images and Go', () => {
  const images = new Set<string | undefined>()
  for (const job of workflows.flatMap(([, { jobs }]) => Object.values(jobs))) {
    assert.match(job['runs-on'], /^ubuntu-\d+\.\d+$/)
    images.add(job.container?.image)
    for (const { uses, with: given } of job.steps)
      if (uses?.startsWith('actions/setup-go@')) assert.equal(given?.['go-version'], versions.image.go)
  }
  images.delete(undefined)
  assert.deepEqual([...images], [`node:${versions.node.packages['linux-x64'].version}-bookworm`])
})

test('only the job of the release may sign, and it signs every file in SHA256SUMS', () => {
  const signers = workflows.flatMap(([, { jobs }]) =>
    Object.entries(jobs).filter(([, { permissions }]) => permissions !== undefined),
  )
  assert.deepEqual(
    signers.map(([name]) => name),
    ['release'],
  )
  for (const [, { permissions, steps }] of signers) {
    assert.deepEqual(permissions, { contents: 'read', 'id-token': 'write', attestations: 'write' })
    const [made, signed, kept] = steps.slice(-3)
    assert.match(made?.run ?? '', / OUT=release$/)
    assert.match(signed?.uses ?? '', /^actions\/attest-build-provenance@/)
    assert.deepEqual(signed?.with, { 'subject-checksums': 'sources/release/SHA256SUMS' })
    assert.equal(kept?.with?.path, 'sources/release')
  }
})

/** The check of GitHub's workflows, built by tools/targets. */
const ACTIONLINT = join(ROOT, '.tools/targets/actionlint')
/** Without the programs that actionlint calls where a machine happens to have them. */
const OPTIONS = ['-no-color', '-shellcheck=', '-pyflakes=']
const whyNoActionlint = existsSync(ACTIONLINT) ? false : 'no actionlint: run make targets'

test('actionlint finds nothing in the workflows', { skip: whyNoActionlint }, () => {
  const files = readdirSync(join(GITHUB, 'workflows')).map((file) => join(GITHUB, 'workflows', file))
  const { status, stdout, stderr } = spawnSync(ACTIONLINT, [...OPTIONS, ...files], { cwd: ROOT, encoding: 'utf8' })
  assert.deepEqual([status, stdout, stderr], [0, '', ''])
  const wrong = spawnSync(ACTIONLINT, [...OPTIONS, '-'], {
    input: read('.github/workflows/ci.yml').replace('runs-on', 'run-on'),
  })
  assert.equal(wrong.status, 1)
})

test('`make help` has one sentence for each target', () => {
  const { stdout } = spawnSync('make', ['--no-print-directory', 'help'], { cwd: ROOT, encoding: 'utf8' })
  const lines = stdout.trimEnd().split('\n')
  const wanted = /^\.PHONY: (.*)$/m.exec(read('Makefile'))?.[1]?.split(' ') ?? []
  assert.ok(wanted.length > 20)
  assert.deepEqual(lines.map((line) => line.split(/ +/)[1]).toSorted(), wanted.toSorted())
  for (const line of lines) {
    assert.match(line, /^make \S+ +[A-Z].*\.$/)
    assert.doesNotMatch(line, /\. /)
  }
})

const NOT_MAKE = ['make', 'make test && curl x', 'make test; x', 'npm ci', 'make release VERSION=$(x)', 'make a\nx']

test('a step that does more than to call make is found', () => {
  for (const run of NOT_MAKE) assert.doesNotMatch(run, MAKE)
  for (const uses of ['actions/checkout@v4', 'others/checkout@11bd71901bbe5b1630ceea73d27597364c9af683'])
    assert.doesNotMatch(uses, ACTION)
})

test('templates of issues have fields, each once', () => {
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

test('the table of supported versions has the pinned versions', () => {
  const { cluster, image, node } = versions
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
