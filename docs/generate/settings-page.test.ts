import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorSettings, processorsWithSettings } from './processor-settings-page.ts'
import { PROCESSOR_TEXTS } from './processor-texts.ts'
import { PAGES, settingsOf } from './settings-page.ts'

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

for (const processor of processorsWithSettings()) {
  test(`every setting of the ${processor} has a sentence, and no sentence tells of another`, () => {
    const paths = processorSettings(processor).map(({ path }) => path)
    assert.deepEqual(Object.keys(PROCESSOR_TEXTS[processor] ?? {}).sort(), [...paths].sort())
  })
}
