import type { Edit, FailedField } from '@llm-gateway/gui-api'
import { applyEdits, findNodeAtLocation, type JSONPath, type ModificationOptions, modify } from 'jsonc-parser'
import { jsonTree } from './json-places.ts'
import { unmaskValue } from './masked-json.ts'
import type { SecretNames } from './secret-parts.ts'

export type Edited =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'failed'
      readonly code: 'BAD_REQUEST' | 'MASKED_NOWHERE'
      readonly fields: readonly FailedField[]
    }

const DEEPEST = 64
/** Bytes of all texts that the edits of one request read and write anew: some five seconds of a thread. */
const MOST_EDITED = 64 * 1024 * 1024
const FORMAT = { insertSpaces: true, tabSize: 2, eol: '\n' }

/** Changes single places of a JSON text. The rest keeps its form and order. */
export function applyJsonEdits(text: string, edits: readonly Edit[], names: SecretNames): Edited {
  let result: Edited = { kind: 'text', text }
  let edited = 0
  for (const [index, edit] of edits.entries()) {
    if (result.kind === 'failed') return result
    edited += result.text.length
    if (edited > MOST_EDITED) return tooMany(index)
    result = applyEdit(result.text, edit, names)
  }
  return result
}

function applyEdit(text: string, edit: Edit, names: SecretNames): Edited {
  const path = [...edit.path]
  const tree = jsonTree(text)
  const here = tree && findNodeAtLocation(tree, path)
  switch (edit.op) {
    case 'remove':
      return here === undefined || path.length === 0 ? wrongPlace(edit) : changed(text, path, undefined)
    case 'move': {
      const [index, list] = [path.at(-1), tree && findNodeAtLocation(tree, path.slice(0, -1))]
      const length = list?.type === 'array' ? (list.children?.length ?? 0) : 0
      if (here === undefined || typeof index !== 'number' || edit.to >= length) return wrongPlace(edit)
      const value: unknown = JSON.parse(text.slice(here.offset, here.offset + here.length))
      const without = changed(text, path, undefined)
      if (without.kind === 'failed') return without
      return changed(without.text, [...path.slice(0, -1), edit.to], value, { isArrayInsertion: true })
    }
    case 'set':
    case 'insert': {
      if (edit.value === undefined || path.length === 0 || isTooDeep(edit.value)) return wrongPlace(edit)
      const written = { value: edit.value, to: edit.path, from: edit.copied_from ?? edit.path }
      const value = unmaskValue(written, { source: text, names })
      if (value.kind === 'nowhere') return { kind: 'failed', code: 'MASKED_NOWHERE', fields: value.fields }
      const list = tree && findNodeAtLocation(tree, path.slice(0, -1))
      const index = path.at(-1)
      if (
        edit.op === 'insert' &&
        list !== undefined &&
        !(typeof index === 'number' && index <= (list.children?.length ?? 0))
      )
        return wrongPlace(edit)
      return changed(text, path, JSON.parse(value.text), { isArrayInsertion: edit.op === 'insert' })
    }
    default:
      return edit satisfies never
  }
}

/** Returns whether a value is so deep that a recursive reader would run out of stack. */
function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []))
  }
  return false
}

function changed(text: string, path: JSONPath, value: unknown, options: ModificationOptions = {}): Edited {
  try {
    return {
      kind: 'text',
      text: applyEdits(text, modify(text, path, value, { formattingOptions: FORMAT, ...options })),
    }
  } catch (error) {
    // The path leads through a value that is neither an object nor an array.
    if (error instanceof Error) return wrongPlace({ path })
    throw error
  }
}

function tooMany(index: number): Edited {
  const message = 'The edits before are all that a file of this size may have at once.'
  return { kind: 'failed', code: 'BAD_REQUEST', fields: [{ path: ['body', 'edits', index], message }] }
}

function wrongPlace({ path }: Pick<Edit, 'path'>): Edited {
  return { kind: 'failed', code: 'BAD_REQUEST', fields: [{ path, message: 'There is no such place in the file.' }] }
}
