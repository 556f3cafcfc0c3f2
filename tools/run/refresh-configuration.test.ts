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

test('a file that nobody edited follows the shipped one, also away', () =>
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

test('an edited file survives every run, and a newer shipped one is told each time', () =>
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

test('an edit taken back, or made the same as the newer file, is no edit any more', () =>
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

test('a file that was there before the first run is kept', () =>
  withFolder(({ ship, edit, live, refresh }) => {
    ship('b.json', '1')
    refresh()
    edit('a.json', 'mine')
    ship('a.json', '1')
    assert.deepEqual(refresh(), ['a.json'])
    assert.equal(live('a.json'), 'mine')
  }))

test('a file of the later folder takes the place of its namesake, and is the one an edit is compared with', () =>
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

test('a copy that nobody edited follows when a later folder begins to ship its file', () =>
  withFolder(({ ship, shipOver, live, refresh }) => {
    ship('a.json', 'small')
    refresh()
    shipOver('a.json', 'complete')
    assert.deepEqual(refresh(), [])
    assert.equal(live('a.json'), 'complete')
  }))
