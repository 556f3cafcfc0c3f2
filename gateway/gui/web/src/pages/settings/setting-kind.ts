import { elementsOf, isObject, membersOf, textOf } from '../../json-value.ts'

/** The way of editing a setting, derived from its JSON Schema. */
export type SettingKind =
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'switch' | 'number' | 'text' | 'texts' }
  | { readonly kind: 'group'; readonly members: readonly Member[] }
  | { readonly kind: 'groups'; readonly members: readonly Member[] }
  /** Edited only as text: maps with any names, and lists of lists. */
  | { readonly kind: 'other' }

export type Member = { readonly name: string; readonly schema: unknown }

/** Returns the kind of a setting by the most specific form of its schema: each setting may also be a reference. */
export function settingKind(schema: unknown): SettingKind {
  const forms = [schema, ...elementsOf(membersOf(schema).anyOf)].map(membersOf)
  const values = forms.flatMap((form) => elementsOf(form.enum)).flatMap((value) => textOf(value) ?? [])
  if (values.length > 0) return { kind: 'choice', values }
  const has = (type: string): boolean => forms.some((form) => form.type === type)
  if (has('boolean')) return { kind: 'switch' }
  if (has('integer') || has('number')) return { kind: 'number' }
  const object = forms.find((form) => form.type === 'object')
  if (object !== undefined) return isObject(object.properties) ? group('group', object) : { kind: 'other' }
  const array = forms.find((form) => form.type === 'array')
  if (array !== undefined) return listKind(array.items)
  return has('string') ? { kind: 'text' } : { kind: 'other' }
}

function listKind(items: unknown): SettingKind {
  const item = settingKind(items)
  if (item.kind === 'text' || item.kind === 'choice') return { kind: 'texts' }
  return item.kind === 'group' ? { ...item, kind: 'groups' } : { kind: 'other' }
}

function group(kind: 'group', object: { readonly properties?: unknown }): SettingKind {
  const members = Object.entries(membersOf(object.properties)).map(([name, schema]) => ({ name, schema }))
  return { kind, members }
}
