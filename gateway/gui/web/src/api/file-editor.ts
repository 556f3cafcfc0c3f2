import type { Conflict, Edit, File, FileName, SaveDraft } from '@llm-gateway/gui-api'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { parseJson } from '../json-value.ts'
import { applyEdit } from './apply-edit.ts'
import { fileQuery, sessionQuery } from './queries.ts'
import { RequestFailure, request } from './request.ts'

/** Long enough for a word, short enough that the verdict feels immediate. */
const SAVE_AFTER_MS = 350

type Change = { readonly edits: readonly Edit[] } | { readonly text: string }

export type EditorState = {
  /** What is on the screen and not yet saved. */
  readonly pending: Change | undefined
  /** What the pending change was made on: a text that came meanwhile is somebody else's. */
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

/** Saves the edits of one file one after the other, each on the answer of the one before. */
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

  /** Changes single places; shown at once, saved soon. */
  edit(...edits: readonly Edit[]): void {
    const { pending } = this.#state
    if (pending !== undefined && 'text' in pending) {
      const parsed = parseJson(pending.text)
      if ('problem' in parsed) return
      this.#put({ text: JSON.stringify(edits.reduce(applyEdit, parsed.value), undefined, 2) })
    } else this.#put({ edits: edits.reduce(withEdit, pending?.edits ?? []) })
  }

  /** Changes the whole text. */
  write(text: string): void {
    this.#put({ text })
  }

  /** Saves what is pending now; settles when it is saved or has failed. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#running = this.#running.then(() => this.#save())
    return this.#running
  }

  /** Saves a text that took in both sides of a conflict. */
  async settle(text: string, base: string | undefined, tag: string): Promise<void> {
    await this.#send(base === undefined ? { tag, text } : { tag, text, base })
  }

  /** Gives up what could not be saved and shows the server's state again. */
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
    // Half a text is kept on the screen until it is a whole one.
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

  /** The server knows neither what a draft was when this person began nor what single edits make of it. */
  #conflictOf({ failure }: RequestFailure, sent: Change | undefined): Conflict | undefined {
    const conflict = failure?.conflict
    const { base } = this.#state
    if (conflict?.kind !== 'draft' || base === undefined || sent === undefined) return conflict
    const yours = { ...conflict.yours, text: shownText(base, sent).text }
    return { ...conflict, base: { digest: base.tag, text: base.text }, yours }
  }

  /** What was typed while the request was under way. */
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

/** A later `set` of the same place takes the earlier one's place. */
function withEdit(edits: readonly Edit[], edit: Edit): readonly Edit[] {
  const last = edits.at(-1)
  const same = last?.op === 'set' && edit.op === 'set' && JSON.stringify(last.path) === JSON.stringify(edit.path)
  return same ? [...edits.slice(0, -1), edit] : [...edits, edit]
}

const editors = new WeakMap<QueryClient, Map<FileName, FileEditor>>()

/** After a login: what could not be saved because the session had ended is saved now. */
export function savePending(client: QueryClient): void {
  for (const editor of editors.get(client)?.values() ?? []) void editor.flush()
}

/** After a logout: the next person's login must save nothing of this one's. */
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
  /** As the server last said; undefined while it loads. */
  readonly file: File | undefined
  readonly loadFailure: Error | null
  /** The file's text with what is pending. */
  readonly text: string
  /** Its JSON; undefined where the text is none. */
  readonly value: unknown
}

/** One file as this person sees it: the server's text and on top what isn't saved yet. */
export function useFile(name: FileName): EditedFile {
  const client = useQueryClient()
  const editor = editorOf(client, name)
  const { data: file, error } = useQuery(fileQuery(name))
  const state = useSyncExternalStore(editor.subscribe, editor.state)
  const { pending, base = file } = state
  const shown = useMemo(() => shownText(pending === undefined ? file : base, pending), [file, base, pending])
  // Leaving the page saves at once.
  useEffect(() => () => void editor.flush(), [editor])
  // Whoever has the file goes on with it while the server doesn't answer.
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
