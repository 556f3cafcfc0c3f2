import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorSettings, processorsWithSettings } from './processor-settings-page.ts'
import { PROCESSOR_TEXTS } from './processor-texts.ts'
import { SECTION_TEXTS } from './section-texts.ts'
import { sectionsOf } from './sections.ts'
import { PAGES, settingsOf } from './settings-page.ts'

test('every section of a file has a sentence, and no sentence tells of a section that is gone', () => {
  for (const [file, texts] of Object.entries(SECTION_TEXTS)) {
    const sections = sectionsOf(settingsOf(file)).flatMap(({ name }) => (name === '' ? [] : [name]))
    assert.deepEqual(Object.keys(texts).sort(), sections.sort(), file)
  }
})

const row = (path: string) => ({ path, type: 'string', defaultValue: undefined, required: false, description: '' })

test('a section of many rows is divided by the next part of their paths', () => {
  const many = Array.from({ length: 41 }, (_, at) => row(`a.b[].c${at}`))
  const rows = [row('a'), row('a.one'), ...many, row('z'), row('d.e.f'), row('d.g')]
  assert.deepEqual(
    sectionsOf(rows).map(({ name, rows: own }) => [name, own.length]),
    [
      ['', 1],
      ['a', 2],
      ['a.b', 41],
      ['d', 2],
    ],
  )
})

for (const file of Object.keys(PAGES)) {
  test(`every setting of ${file}.json has a sentence`, () => {
    const rows = settingsOf(file)
    assert.ok(rows.length > 0)
    assert.deepEqual(
      rows.filter(({ description }) => description === '').map(({ path }) => path),
      [],
    )
  })
}

test('a setting that takes a word or a list shows both', () => {
  const routers = processorSettings('regex').find(({ path }) => path === 'patterns[].routers')
  assert.equal(routers?.type, '`default`, list of string')
})

test('an integer that may also be a text shows its whole range', () => {
  const types = ['max_characters', 'timeout_ms'].map(
    (path) => processorSettings('nlp-entities').find((setting) => setting.path === path)?.type,
  )
  assert.deepEqual(types, ['integer 1 to 1000000', 'integer 1 to 600000'])
  assert.equal(processorSettings('mock').find(({ path }) => path === 'recordings')?.type, 'integer 1 to 10000')
  assert.equal(processorSettings('mock').find(({ path }) => path === 'lambda')?.type, 'number from 0')
})

for (const processor of processorsWithSettings()) {
  test(`every setting of the ${processor} has a sentence, and no sentence tells of another`, () => {
    const paths = processorSettings(processor).map(({ path }) => path)
    assert.deepEqual(Object.keys(PROCESSOR_TEXTS[processor] ?? {}).sort(), [...paths].sort())
  })
}
