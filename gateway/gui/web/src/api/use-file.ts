import type { File, FileName } from '@llm-gateway/gui-api'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { type EditorState, type FileCache, FileEditor, shownText } from './file-editor.ts'
import { fileQuery, sessionQuery } from './queries.ts'

export type EditedFile = EditorState & {
  readonly editor: FileEditor
  /** The server's last answer; undefined while it loads. */
  readonly file: File | undefined
  readonly loadFailure: Error | null
  /** The file's text with the pending change. */
  readonly text: string
  /** The parsed JSON; undefined if the text is not JSON. */
  readonly value: unknown
}

/** Returns a file as this person sees it: the server's text with the unsaved change. */
export function useFile(name: FileName): EditedFile {
  const client = useQueryClient()
  const editor = editorOf(client, name)
  const { data: file, error } = useQuery(fileQuery(name))
  const state = useSyncExternalStore(editor.subscribe, editor.state)
  const { pending, base = file } = state
  const shown = useMemo(() => shownText(pending === undefined ? file : base, pending), [file, base, pending])
  // A pending change is saved when the person leaves the page.
  useEffect(() => () => void editor.flush(), [editor])
  // A loaded file stays on the screen while the server doesn't answer.
  return { ...state, editor, file, loadFailure: file === undefined ? error : null, ...shown }
}

/** Saves pending changes after a login: the end of the session had prevented that. */
export function savePending(client: QueryClient): void {
  for (const editor of editors.get(client)?.values() ?? []) void editor.flush()
}

/** Drops pending changes at a logout: the next person's login must not save them. */
export function forgetPending(client: QueryClient): void {
  editors.delete(client)
}

const editors = new WeakMap<QueryClient, Map<FileName, FileEditor>>()

function editorOf(client: QueryClient, name: FileName): FileEditor {
  const known = editors.get(client) ?? new Map<FileName, FileEditor>()
  editors.set(client, known)
  const editor = known.get(name) ?? new FileEditor(name, cacheOf(client, name))
  known.set(name, editor)
  return editor
}

function cacheOf(client: QueryClient, name: FileName): FileCache {
  const { queryKey } = fileQuery(name)
  const invalidate = (key: readonly unknown[]) => client.invalidateQueries({ queryKey: key })
  return {
    read: () => client.getQueryData(queryKey),
    keep: (saved) => {
      client.setQueryData(queryKey, saved)
      // The queries show their own failures.
      for (const key of ['files', 'routers']) void invalidate([key])
    },
    reload: () => invalidate(queryKey),
    sessionEnded: () => void invalidate(sessionQuery.queryKey),
  }
}
