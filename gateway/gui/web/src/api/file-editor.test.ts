import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { File } from '@llm-gateway/gui-api'
import { type FileCache, FileEditor } from './file-editor.ts'
import { startServer } from './server-under-test.ts'

/** Starts a server that keeps each saved change and answers with a new tag. */
async function startSaving(t: { after(end: () => void): void }): Promise<readonly unknown[]> {
  const saved: unknown[] = []
  await startServer(t, async (request, response) => {
    saved.push(JSON.parse(await text(request)))
    response.end(JSON.stringify(fileTagged(`tag ${saved.length}`)))
  })
  return saved
}

function fileTagged(tag: string): object {
  return { name: 'gl_config.json', kind: 'json', tag, text: '{}', live: null, base: null, draft: null }
}

/** A cache with a file that has been loaded. */
function loadedCache(): FileCache {
  let file: File = JSON.parse(JSON.stringify(fileTagged('loaded')))
  return {
    read: () => file,
    keep: (saved) => {
      file = saved
    },
    reload: async () => undefined,
    sessionEnded: () => undefined,
  }
}

const nested: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000))

test('after an exception the editor shows a failure, and saves the next change once the failed change is given up', async (t) => {
  const saved = await startSaving(t)
  const editor = new FileEditor('gl_config.json', loadedCache())
  editor.edit({ op: 'set', path: ['a'], value: nested })
  await assert.rejects(editor.flush(), RangeError)
  assert.deepEqual([editor.state().saving, editor.state().failure?.name], [false, 'RangeError'])
  await editor.giveUp()
  editor.edit({ op: 'set', path: ['a'], value: 1 })
  await editor.flush()
  assert.deepEqual(saved, [{ tag: 'loaded', edits: [{ op: 'set', path: ['a'], value: 1 }] }])
  assert.deepEqual([editor.state().pending, editor.state().failure], [undefined, undefined])
})

test('changes are saved one after another, each on the tag of the answer before', async (t) => {
  const saved = await startSaving(t)
  const editor = new FileEditor('gl_config.json', loadedCache())
  editor.edit({ op: 'set', path: ['a'], value: 1 })
  const first = editor.flush()
  await Promise.resolve()
  editor.edit({ op: 'set', path: ['b'], value: 2 })
  await Promise.all([first, editor.flush()])
  assert.deepEqual(saved, [
    { tag: 'loaded', edits: [{ op: 'set', path: ['a'], value: 1 }] },
    { tag: 'tag 1', edits: [{ op: 'set', path: ['b'], value: 2 }] },
  ])
})
