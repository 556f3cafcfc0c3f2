import type { FieldPath } from '@llm-gateway/gui-api'
import { applyEdit } from '../../api/apply-edit.ts'
import { isObject, parseJson, pretty } from '../../json-value.ts'
import { mergeJson } from './merge-json.ts'
import { mergeText, type ThreeTexts } from './merge-text.ts'

export type MergedFile = {
  readonly text: string
  /** Places that both sides changed differently. The text has your values there. Empty means no conflict. */
  readonly clashes: readonly FieldPath[]
  /** The line of the first clash; lines begin at 1. */
  readonly line: number | undefined
}

/** Merges two changes of a file: JSON value by value, other texts line by line. */
export function mergeFile(file: string, texts: ThreeTexts): MergedFile {
  if (!file.endsWith('.json')) {
    const { text, clash } = mergeText(texts, 1)
    return { text, clashes: clash === undefined ? [] : [[]], line: clash }
  }
  const [base, theirs, yours] = [texts.base, texts.theirs, texts.yours].map(parseJson)
  const unread = { text: texts.yours, clashes: [[]], line: undefined }
  if (base === undefined || theirs === undefined || yours === undefined) return unread
  if ('problem' in base || 'problem' in theirs || 'problem' in yours) return unread
  const { value, clashes } = mergeJson({ base: base.value, theirs: theirs.value, yours: yours.value })
  const [first] = clashes
  const lines = mergeText(texts, 0)
  if (isValue(lines.text, value))
    return { text: lines.text, clashes, line: first === undefined ? undefined : lines.clash }
  // The file's own layout is lost only if its lines can't be merged.
  return { text: `${pretty(value)}\n`, clashes, line: first === undefined ? undefined : lineAt(value, first) }
}

function isValue(text: string, value: unknown): boolean {
  const parsed = parseJson(text)
  return !('problem' in parsed) && sortedJson(parsed.value) === sortedJson(value)
}

/** Serializes a value with sorted members, so that equal values have equal texts. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  )
}

function lineAt(value: unknown, path: FieldPath): number {
  const mark = crypto.randomUUID()
  const lines = pretty(applyEdit(value, { op: 'set', path, value: mark })).split('\n')
  return lines.findIndex((line) => line.includes(mark)) + 1 || 1
}
