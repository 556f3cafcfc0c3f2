import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { generatedFiles } from './generated-files.ts'
import { ALERT_GROUPS } from './rules-file.ts'

const ROOT = join(import.meta.dirname, '../..')
const ALERTS = ALERT_GROUPS.flatMap(({ alerts }) => alerts)

test('the chart’s dashboards and alerts equal the generated ones', () => {
  const files = generatedFiles()
  assert.ok(files.length > 1)
  for (const { path, text } of files) assert.equal(readFileSync(join(ROOT, path), 'utf8'), text, path)
  const dashboards = globSync('charts/llm-gateway/files/dashboards/*', { cwd: ROOT }).sort()
  const written = files.map(({ path }) => path).filter((path) => path.includes('/dashboards/'))
  assert.deepEqual(dashboards, written.sort())
})

test('each alert has a runbook with its meaning, diagnosis and remedy, and each runbook has an alert', () => {
  const names = ALERTS.map(({ name }) => name)
  assert.equal(new Set(names).size, names.length)
  const files = globSync('docs/runbooks/*.md', { cwd: ROOT }).sort()
  assert.deepEqual(files, names.map((name) => `docs/runbooks/${name}.md`).sort())
  for (const file of files) {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading)
    assert.deepEqual(headings, [file.slice('docs/runbooks/'.length, -'.md'.length), 'Meaning', 'Diagnosis', 'Remedy'])
    for (const [, link = ''] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g))
      assert.ok(files.includes(`docs/runbooks/${link}`), `${file}: ${link}`)
  }
})

test('each dashboard and panel that a runbook names exists', () => {
  const boards = generatedFiles()
    .filter(({ path }) => path.endsWith('.json'))
    .map(({ text }): { title: string; panels: readonly { readonly title: string }[] } => JSON.parse(text))
  const titles = boards.flatMap(({ title, panels }) => [title.split(' / ')[1], ...panels.map((panel) => panel.title)])
  const named = ALERTS.flatMap(({ name }) => {
    const text = readFileSync(join(ROOT, `docs/runbooks/${name}.md`), 'utf8')
    return [...text.matchAll(/(?<![\w`])_([A-Z][^_`]*)_(?![\w`])/g)].map(([, title = '']) => ({ name, title }))
  })
  assert.ok(named.length > 40)
  assert.deepEqual(
    named.filter(({ title }) => !titles.includes(title)),
    [],
  )
})

test('each dashboard has less than 256 KiB, a quarter of what a ConfigMap holds', () => {
  for (const { path, text } of generatedFiles()) {
    const bytes = Buffer.byteLength(text)
    assert.ok(bytes < 256 * 1024, `${path}: ${bytes} bytes`)
  }
})

type PanelPosition = { readonly x: number; readonly y: number; readonly w: number; readonly h: number }

test('no panel of a dashboard overlaps another', () => {
  const boards = generatedFiles().filter(({ path }) => path.endsWith('.json'))
  assert.ok(boards.length > 4)
  for (const { path, text } of boards) {
    const panels: readonly { readonly title: string; readonly gridPos: PanelPosition }[] = JSON.parse(text).panels
    const covered = panels.filter(({ gridPos }, index) =>
      panels.slice(0, index).some((other) => overlap(other.gridPos, gridPos)),
    )
    assert.deepEqual(
      covered.map(({ title }) => title),
      [],
      path,
    )
  }
})

function overlap(one: PanelPosition, other: PanelPosition): boolean {
  const isBeside = one.x + one.w <= other.x || other.x + other.w <= one.x
  return !isBeside && one.y < other.y + other.h && other.y < one.y + one.h
}
