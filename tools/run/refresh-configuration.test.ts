import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { refreshConfiguration } from './refresh-configuration.ts'

type Folder = {
  ship(name: string, text: string): void
  /** Adds a file to the folder that overrides the other. */
  shipOver(name: string, text: string): void
  edit(name: string, text: string): void
  live(name: string): string | undefined
  unship(name: string): void
  refresh(): readonly string[]
}

function withFolder(use: (folder: Folder) => void): void {
  const root = mkdtempSync(join(tmpdir(), 'run-configuration-'))
  const [conf, over] = [join(root, 'conf'), join(root, 'conf/examples/processors')]
  const folders = { shipped: [conf, over], live: join(root, 'live'), journal: join(root, 'journal.json') }
  for (const folder of [join(conf, 'src'), over]) mkdirSync(folder, { recursive: true })
  try {
    use({
      ship: (name, text) => writeFileSync(join(conf, name), text),
      shipOver: (name, text) => writeFileSync(join(over, name), text),
      unship: (name) => rmSync(join(conf, name)),
      edit: (name, text) => writeFileSync(join(folders.live, name), text),
      live: (name) =>
        existsSync(join(folders.live, name)) ? readFileSync(join(folders.live, name), 'utf8') : undefined,
      refresh: () => refreshConfiguration(folders).map(({ shipped }) => relative(conf, shipped)),
    })
  } finally {
    rmSync(root, { recursive: true })
  }
}

test('the first run copies the configuration and nothing else of its folder', () =>
  withFolder(({ ship, live, refresh }) => {
    for (const name of ['gl_config.json', 'nats-server.conf', 'package.json', 'generate.ts', 'src/case.json'])
      ship(name, '1')
    assert.deepEqual(refresh(), [])
    assert.equal(live('gl_config.json'), '1')
    assert.equal(live('nats-server.conf'), '1')
    for (const name of ['package.json', 'generate.ts', 'src/case.json']) assert.equal(live(name), undefined)
  }))

test('an unedited file follows the shipped file, also when it is removed', () =>
  withFolder(({ ship, unship, live, refresh }) => {
    ship('a.json', '1')
    refresh()
    ship('a.json', '2')
    assert.deepEqual(refresh(), [])
    assert.equal(live('a.json'), '2')
    unship('a.json')
    refresh()
    assert.equal(live('a.json'), undefined)
  }))

test('an edited file survives every run, and each run reports a newer shipped file', () =>
  withFolder(({ ship, edit, live, refresh }) => {
    ship('a.json', '1')
    refresh()
    edit('a.json', 'mine')
    assert.deepEqual(refresh(), [])
    ship('a.json', '2')
    assert.deepEqual(refresh(), ['a.json'])
    assert.deepEqual(refresh(), ['a.json'])
    assert.equal(live('a.json'), 'mine')
  }))

test('a reverted edit, or an edit equal to the newer file, no longer counts as an edit', () =>
  withFolder(({ ship, edit, live, refresh }) => {
    ship('a.json', '1')
    refresh()
    edit('a.json', '2')
    ship('a.json', '2')
    assert.deepEqual(refresh(), [])
    ship('a.json', '3')
    assert.deepEqual(refresh(), [])
    assert.equal(live('a.json'), '3')
  }))

test('a file that existed before the first run is kept', () =>
  withFolder(({ ship, edit, live, refresh }) => {
    ship('b.json', '1')
    refresh()
    edit('a.json', 'mine')
    ship('a.json', '1')
    assert.deepEqual(refresh(), ['a.json'])
    assert.equal(live('a.json'), 'mine')
  }))

test('a file of a later folder replaces the file of the same name, and edits are compared with it', () =>
  withFolder(({ ship, shipOver, edit, live, refresh }) => {
    ship('a.json', 'small')
    ship('b.json', 'small')
    shipOver('a.json', 'complete')
    assert.deepEqual(refresh(), [])
    assert.deepEqual([live('a.json'), live('b.json')], ['complete', 'small'])
    edit('a.json', 'mine')
    ship('a.json', 'other')
    assert.deepEqual(refresh(), [])
    shipOver('a.json', 'newer')
    assert.deepEqual(refresh(), ['examples/processors/a.json'])
  }))

test('an unedited copy follows when a later folder begins to ship the file', () =>
  withFolder(({ ship, shipOver, live, refresh }) => {
    ship('a.json', 'small')
    refresh()
    shipOver('a.json', 'complete')
    assert.deepEqual(refresh(), [])
    assert.equal(live('a.json'), 'complete')
  }))
