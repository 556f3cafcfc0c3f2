import { isJsonObject, type Json } from './structural-schema.ts'

/** Characters of two code units, a space that only JavaScript knows, and numbers that JavaScript can't hold. */
const TEXTS = [
  '\u{1f600}',
  '\u{1f600}'.repeat(63),
  '\u{1f600}'.repeat(4096),
  'https://a\u00a0b/',
  'a\u000bb',
  'a\n',
  '',
]
const LARGE = 2 ** 62

/** Returns copies of a spec, each with one value that an API server and JavaScript could read differently. */
export function extremesOf(spec: object): readonly object[] {
  const json: Json = JSON.parse(JSON.stringify(spec))
  return [...variants(json)].filter(isJsonObject)
}

function* variants(value: Json): Generator<Json> {
  if (typeof value === 'string') yield* TEXTS
  else if (typeof value === 'number') yield* [LARGE, -1, 0.5]
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) for (const variant of variants(item)) yield value.with(index, variant)
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value))
      for (const variant of variants(item)) yield { ...value, [key]: variant }
  }
}
