import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SHIPPED_TYPES, type ShippedType } from '@llm-gateway/crds'
import { crdFields } from './crd-pages.ts'
import { processorSettings } from './processor-settings-page.ts'
import { SETTINGS_WITHOUT_FIELD } from './processor-texts.ts'
import type { SettingRow } from './schema-rows.ts'
import { settingsOf } from './settings-page.ts'

// Rules: docs/reference/processor-settings.md#settings-without-a-field

/** Settings whose field has a name other than theirs in camel case. */
const RENAMED: ReadonlyMap<string, string> = new Map([['disabled_time_minutes', 'disabledMinutes']])

const allFields = crdFields('Processor').filter(({ type }) => type !== 'object')

for (const type of SHIPPED_TYPES) {
  test(`every setting of a ${type} is a field or stands in the table of settings without a field, and no field is more`, () => {
    assert.deepEqual(
      fieldsOfType(type)
        .map(({ path }) => path)
        .sort(),
      [...settingsByField(type).keys()].sort(),
    )
  })
}

test('the fields of each type have the choices and the defaults of their settings', () => {
  for (const type of SHIPPED_TYPES) {
    const settings = settingsByField(type)
    for (const { path, type: choices, description } of fieldsOfType(type)) {
      const setting = settings.get(path)
      if (`${choices}${choicesOf(setting)}`.includes('`')) assert.equal(choices, choicesOf(setting), path)
      const [, told] = /left out: (true|false|\d+(?:\.\d+)?)\b/.exec(description) ?? []
      if (told !== undefined) assert.equal(told, setting?.defaultValue, path)
    }
  }
})

test('every setting without a field exists', () => {
  const told = Object.entries(SETTINGS_WITHOUT_FIELD).flatMap(([processor, settings]) =>
    Object.keys(settings).map((setting) => ({ processor, setting })),
  )
  const gone = told.filter(({ processor, setting }) => {
    const types = SHIPPED_TYPES.filter((type) => [folderOf(type), 'every'].includes(processor))
    return !types.some((type) => settingsOfType(type).some(({ path }) => isAt(path, setting)))
  })
  assert.deepEqual(gone, [])
})

/** Returns a setting's type without the word that stands for a field that is left out, such as `default` beside a list. */
function choicesOf(setting: SettingRow | undefined): string | undefined {
  return setting?.type.replace(/^`\w+`, (?=list of )/, '')
}

/** Returns the settings of a type's program. Those that every processor has are listed for the token counter alone. */
function settingsOfType(type: ShippedType): readonly SettingRow[] {
  return type === 'TokenCounter' ? settingsOf('tokencounter_config') : processorSettings(folderOf(type))
}

/** Returns the settings that need a field, by the field's path. */
function settingsByField(type: ShippedType): ReadonlyMap<string, SettingRow> {
  const without = Object.keys({ ...SETTINGS_WITHOUT_FIELD.every, ...SETTINGS_WITHOUT_FIELD[folderOf(type)] })
  const settings = settingsOfType(type).filter(({ path }) => !without.some((setting) => isAt(path, setting)))
  return new Map(settings.map((row) => [fieldOf(row.path), row]))
}

/** Returns the folder of a type's program, such as `nlp-entities`. */
function folderOf(type: ShippedType): string {
  return type.replaceAll(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase()
}

function fieldsOfType(type: ShippedType): readonly SettingRow[] {
  const member = `spec.${type.charAt(0).toLowerCase()}${type.slice(1)}.`
  return allFields.flatMap((row) =>
    row.path.startsWith(member) ? [{ ...row, path: row.path.slice(member.length) }] : [],
  )
}

function fieldOf(path: string): string {
  return RENAMED.get(path) ?? path.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns whether a path names a setting or a part of it. */
function isAt(path: string, setting: string): boolean {
  return path === setting || path.startsWith(`${setting}.`)
}
