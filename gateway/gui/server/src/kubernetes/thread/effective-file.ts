import { createHash } from 'node:crypto'
import { isObject, textAt, valueAt } from '@llm-gateway/kube'
import { CONFIG_KEY, unpackTextAtOnce } from '@llm-gateway/operator/judge'
import { maskJson } from '../../files/masked-json.ts'
import { secretNames } from '../../files/masks.ts'
import type { EffectiveFile } from './questions.ts'

/** Returns the file that the operator wrote without its secrets. The digest is that of the real bytes. */
export function effectiveFile(configMap: unknown): EffectiveFile {
  const text = textIn(configMap)
  if (text === undefined || text === '')
    return { text: null, digest: null, why: 'The operator has not written the file yet.' }
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`
  const masked = maskJson(text, secretNames([text])).text
  // A text whose secrets can't be found has no masked form.
  if (masked === '') return { text: null, digest, why: 'The file is too large or too deep to be shown here.' }
  return { text: indented(masked), digest, why: null }
}

function textIn(configMap: unknown): string | undefined {
  const plain = textAt(configMap, 'data', CONFIG_KEY)
  if (plain !== undefined) return plain
  const packed = Object.entries(Object(valueAt(configMap, 'binaryData')))
    .filter(([key]) => key.startsWith(CONFIG_KEY))
    .map(([, value]) => String(value))[0]
  return packed === undefined ? undefined : unpackTextAtOnce(packed)
}

function indented(text: string): string {
  const value: unknown = JSON.parse(text)
  return isObject(value) ? JSON.stringify(value, null, 2) : text
}
