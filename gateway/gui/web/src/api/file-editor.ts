import type { Conflict, Edit, File, FileName, SaveDraft } from '@llm-gateway/gui-api'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { parseJson } from '../json-value.ts'
import { applyEdit } from './apply-edit.ts'
import { fileQuery, sessionQuery } from './queries.ts'
import { RequestFailure, request } from './request.ts'

/** Long enough to finish a word, short enough that the verdict feels immediate. */
const SAVE_AFTER_MS = 350

type Change = { readonly edits: readonly Edit[] } | { readonly text: string }

export type EditorState = {
  /** The unsaved change on the screen. */
  readonly pending: Change | undefined
  /** The file on which the pending change was made. A text that arrives later is somebody else's. */
  readonly base: File | undefined
  readonly saving: boolean
  readonly failure: RequestFailure | undefined
  readonly conflict: Conflict | undefined
}

const IDLE: EditorState = {
  pending: undefined,
  base: undefined,
  saving: false,
  failure: undefined,
  conflict: undefined,
}

/** Saves the edits of one file one after another, each on the answer to the edit before. */
export class FileEditor {
  readonly #name: FileName
  readonly #client: QueryClient
  readonly #listeners = new Set<() => void>()
  #state = IDLE
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(name: FileName, client: QueryClient) {
    this.#name = name
    this.#client = client
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly state = (): EditorState => this.#state

  /** Changes single places. The change is shown at once and saved soon. */
  edit(...edits: readonly Edit[]): void {
    const { pending } = this.#state
    if (pending !== undefined && 'text' in pending) {
      const parsed = parseJson(pending.text)
      if ('problem' in parsed) return
      this.#put({ text: JSON.stringify(edits.reduce(applyEdit, parsed.value), undefined, 2) })
    } else this.#put({ edits: edits.reduce(withEdit, pending?.edits ?? []) })
  }

  /** Replaces the whole text. */
  write(text: string): void {
    this.#put({ text })
  }

  /** Saves the pending change now. Settles when it is saved or has failed. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#running = this.#running.then(() => this.#save())
    return this.#running
  }

  /** Saves a text that merges both sides of a conflict. */
  async settle(text: string, base: string | undefined, tag: string): Promise<void> {
    await this.#send(base === undefined ? { tag, text } : { tag, text, base })
  }

  /** Drops the unsaved change and shows the server's state again. */
  async giveUp(): Promise<void> {
    this.#set(IDLE)
    await this.#client.invalidateQueries({ queryKey: ['file', this.#name] })
  }

  #put(pending: Change): void {
    const { pending: before, base } = this.#state
    const seen = before === undefined ? this.#client.getQueryData(fileQuery(this.#name).queryKey) : base
    this.#set({ ...this.#state, pending, base: seen, failure: undefined })
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.flush(), SAVE_AFTER_MS)
  }

  async #save(): Promise<void> {
    const { pending, conflict } = this.#state
    const file = this.#client.getQueryData(fileQuery(this.#name).queryKey)
    if (pending === undefined || file === undefined || conflict !== undefined) return
    const isBroken = 'text' in pending && file.kind === 'json' && 'problem' in parseJson(pending.text)
    // An incomplete text stays on the screen unsaved.
    if (isBroken) return
    const body = 'text' in pending ? pending : { edits: [...pending.edits] }
    await this.#send({ tag: this.#state.base?.tag ?? file.tag, ...body }, pending)
  }

  async #send(body: SaveDraft, sent?: Change): Promise<void> {
    this.#set({ ...this.#state, saving: true })
    try {
      const saved = await request('saveDraft', { parameters: { file: this.#name }, body })
      this.#client.setQueryData(fileQuery(this.#name).queryKey, saved)
      const later = sent !== undefined && this.#state.pending !== sent ? this.#afterSent(sent) : undefined
      this.#set({ ...IDLE, pending: later, base: later === undefined ? undefined : saved })
      for (const key of ['files', 'routers']) void this.#client.invalidateQueries({ queryKey: [key] })
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error
      this.#set({ ...this.#state, saving: false, failure: error, conflict: this.#conflictOf(error, sent) })
      if (error.code === 'NOT_LOGGED_IN') void this.#client.invalidateQueries({ queryKey: sessionQuery.queryKey })
    }
  }

  /** Completes a conflict: the server knows neither the draft that this person saw nor the text after single edits. */
  #conflictOf({ failure }: RequestFailure, sent: Change | undefined): Conflict | undefined {
    const conflict = failure?.conflict
    const { base } = this.#state
    if (conflict?.kind !== 'draft' || base === undefined || sent === undefined) return conflict
    const yours = { ...conflict.yours, text: shownText(base, sent).text }
    return { ...conflict, base: { digest: base.tag, text: base.text }, yours }
  }

  /** Returns the edits that were made while the request was under way. */
  #afterSent(sent: Change): Change | undefined {
    const { pending } = this.#state
    if (pending === undefined || 'text' in pending || 'text' in sent) return pending
    const edits = pending.edits.filter((edit) => !sent.edits.includes(edit))
    return edits.length === 0 ? undefined : { edits }
  }

  #set(state: EditorState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

/** Adds an edit; a later `set` of the same place replaces the earlier `set`. */
function withEdit(edits: readonly Edit[], edit: Edit): readonly Edit[] {
  const last = edits.at(-1)
  const same = last?.op === 'set' && edit.op === 'set' && JSON.stringify(last.path) === JSON.stringify(edit.path)
  return same ? [...edits.slice(0, -1), edit] : [...edits, edit]
}

const editors = new WeakMap<QueryClient, Map<FileName, FileEditor>>()

/** Saves pending changes after a login: the end of the session had prevented that. */
export function savePending(client: QueryClient): void {
  for (const editor of editors.get(client)?.values() ?? []) void editor.flush()
}

/** Drops pending changes at a logout: the next person's login must not save them. */
export function forgetPending(client: QueryClient): void {
  editors.delete(client)
}

function editorOf(client: QueryClient, name: FileName): FileEditor {
  const known = editors.get(client) ?? new Map<FileName, FileEditor>()
  editors.set(client, known)
  const editor = known.get(name) ?? new FileEditor(name, client)
  known.set(name, editor)
  return editor
}

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

function shownText(file: File | undefined, pending: Change | undefined): { text: string; value: unknown } {
  const text = pending !== undefined && 'text' in pending ? pending.text : (file?.text ?? '')
  const parsed = parseJson(text)
  if ('problem' in parsed) return { text, value: undefined }
  if (pending === undefined || 'text' in pending) return { text, value: parsed.value }
  const value = pending.edits.reduce(applyEdit, parsed.value)
  return { text: JSON.stringify(value, undefined, 2), value }
}
