import type { Conflict, Edit, File, FileName, SaveDraft } from '@llm-gateway/gui-api'
import { parseJson } from '../json-value.ts'
import { applyEdit } from './apply-edit.ts'
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
  /** The reason why the change isn't saved: the server's answer, or an exception of the page. */
  readonly failure: Error | undefined
  readonly conflict: Conflict | undefined
}

/** The page's copies of the server's answers. */
export type FileCache = {
  /** Returns the file as the server last showed it; undefined while it loads. */
  read(): File | undefined
  /** Keeps the server's answer to a saved change. */
  keep(saved: File): void
  /** Asks the server for the file again. */
  reload(): Promise<void>
  /** Called when the server refused a change because the session has ended. */
  sessionEnded(): void
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
  readonly #cache: FileCache
  readonly #listeners = new Set<() => void>()
  #state = IDLE
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(name: FileName, cache: FileCache) {
    this.#name = name
    this.#cache = cache
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

  /** Saves the pending change now. Resolves when it is saved or was refused; rejects with an exception of the page. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    const saved = this.#running.then(() => this.#save())
    // The caller of this flush has the exception; the next save begins without it.
    this.#running = saved.catch(() => undefined)
    return saved
  }

  /** Saves a text that merges both sides of a conflict. */
  async settle(text: string, base: string | undefined, tag: string): Promise<void> {
    await this.#send(base === undefined ? { tag, text } : { tag, text, base })
  }

  /** Drops the unsaved change and shows the server's state again. */
  async giveUp(): Promise<void> {
    this.#set(IDLE)
    await this.#cache.reload()
  }

  #put(pending: Change): void {
    const { pending: before, base } = this.#state
    const seen = before === undefined ? this.#cache.read() : base
    this.#set({ ...this.#state, pending, base: seen, failure: undefined })
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.flush(), SAVE_AFTER_MS)
  }

  async #save(): Promise<void> {
    const { pending, conflict } = this.#state
    const file = this.#cache.read()
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
      this.#cache.keep(saved)
      const later = sent !== undefined && this.#state.pending !== sent ? this.#afterSent(sent) : undefined
      this.#set({ ...IDLE, pending: later, base: later === undefined ? undefined : saved })
    } catch (error) {
      if (!(error instanceof RequestFailure)) {
        const failure = error instanceof Error ? error : new Error(String(error))
        this.#set({ ...this.#state, saving: false, failure })
        throw failure
      }
      this.#set({ ...this.#state, saving: false, failure: error, conflict: this.#conflictOf(error, sent) })
      if (error.code === 'NOT_LOGGED_IN') this.#cache.sessionEnded()
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

/** Returns the file's text, and its parsed JSON, with the pending change. */
export function shownText(file: File | undefined, pending: Change | undefined): { text: string; value: unknown } {
  const text = pending !== undefined && 'text' in pending ? pending.text : (file?.text ?? '')
  const parsed = parseJson(text)
  if ('problem' in parsed) return { text, value: undefined }
  if (pending === undefined || 'text' in pending) return { text, value: parsed.value }
  const value = pending.edits.reduce(applyEdit, parsed.value)
  return { text: JSON.stringify(value, undefined, 2), value }
}
