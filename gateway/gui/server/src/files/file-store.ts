import type {
  ArchiveEntry,
  Check,
  FailureCode,
  File,
  FileName,
  FileSummary,
  FileVersion,
  SaveDraft,
} from '@llm-gateway/gui-api'
import { type Answer, answered, type Caller, type Failed, failed } from '../answer.ts'
import type { Archive } from './archive.ts'
import { checkText } from './check-text.ts'
import type { Draft, DraftStore } from './draft-store.ts'
import type { FileEnvironment } from './file-environment.ts'
import { type FileText, fileText, MOST_BYTES, readText, stampOf } from './file-text.ts'
import { applyJsonEdits } from './json-edits.ts'
import { jsonTree } from './json-places.ts'
import type { KnownFile } from './known-files.ts'
import { type Masks, masksOf, secretNames } from './masks.ts'
import { notWritable } from './not-writable.ts'
import { READ_ONLY_FIELDS, readOnlyChanges, readOnlyPaths } from './read-only.ts'

export type FileStoreOptions = {
  readonly files: ReadonlyMap<FileName, KnownFile>
  readonly drafts: DraftStore
  readonly archive: Archive
  readonly fileEnvironment: () => Promise<FileEnvironment>
  /** Unix milliseconds. */
  readonly now: () => number
  /** More work on a live text rejects with a GrownTextError. */
  readonly mostWork?: number | undefined
}

/** A file's live text and draft, secrets included. */
export type FileState = {
  readonly file: KnownFile
  readonly live: FileText | undefined
  readonly draft: Draft | undefined
  readonly masks: Masks
  /** The live text of gl_config.json, which names further secrets. */
  readonly glConfig: string | undefined
}

type TextFailure = 'BAD_REQUEST' | 'MASKED_NOWHERE'
type KeepFailure = 'BAD_REQUEST' | 'READ_ONLY' | 'NOT_WRITABLE'
type SaveFailure = 'NOT_FOUND' | 'CONFLICT' | TextFailure | KeepFailure
type RestoreFailure = 'NOT_FOUND' | 'CONFLICT' | KeepFailure
type DiscardFailure = 'CONFLICT' | 'NOT_WRITABLE'

const EMPTY = fileText('')
const NO_FILE = failed('NOT_FOUND', 'gui_config.json does not name this file.')

/** Reads and edits the files. The caller makes sure that each file has one change at a time. */
export class FileStore {
  readonly #options: FileStoreOptions
  readonly #summaries = new Map<FileName, { readonly stamp: string; readonly summary: FileSummary }>()

  constructor(options: FileStoreOptions) {
    this.#options = options
  }

  async list(): Promise<readonly FileSummary[]> {
    const summaries = await Promise.all([...this.#options.files.values()].map((file) => this.#summary(file)))
    return summaries.flatMap((summary) => summary ?? [])
  }

  /** Reads the state of a file; undefined if the file is not edited here. */
  async state(name: FileName): Promise<FileState | undefined> {
    const file = this.#options.files.get(name)
    if (file === undefined) return undefined
    const { files, drafts, mostWork } = this.#options
    const gateway = files.get('gl_config.json')
    const [live, kept, glConfig] = await Promise.all([
      readText(file.live, mostWork),
      drafts.read(name),
      gateway === undefined ? undefined : readText(gateway.live, mostWork),
    ])
    // A process killed during a deploy can leave a draft that is equal to the live text.
    const draft = kept?.draft.digest === live?.digest ? undefined : kept
    return stateOf({ file, live, glConfig: glConfig?.text }, draft)
  }

  async read(name: FileName): Promise<Answer<File, 'NOT_FOUND'>> {
    const state = await this.state(name)
    return state === undefined ? NO_FILE : answered(await this.#view(state))
  }

  async save(name: FileName, change: SaveDraft, caller: Caller): Promise<Answer<File, SaveFailure>> {
    return this.change(name, async (state): Promise<Answer<File, SaveFailure>> => {
      const text = await this.#changedText(state, change)
      if (typeof text !== 'string') return text
      const base = 'base' in change && change.base !== undefined ? state.live : (state.draft?.base ?? state.live)
      return await this.keep(state, { text, base: base ?? EMPTY, caller })
    })
  }

  async discard(name: FileName, tag: string): Promise<Answer<File, 'NOT_FOUND' | DiscardFailure>> {
    return this.change(name, async (state): Promise<Answer<File, DiscardFailure>> => {
      if (tag !== currentText(state).digest) return draftConflict(state, undefined)
      const refused = await this.#options.drafts.remove(name).catch(notWritable)
      if (refused !== undefined) return refused
      return answered(await this.#view({ ...state, draft: undefined }))
    })
  }

  /** Judges a text without saving it. */
  async check(name: FileName, text: string): Promise<Answer<Check, 'NOT_FOUND' | TextFailure>> {
    const state = await this.state(name)
    if (state === undefined) return NO_FILE
    const unmasked = unmaskedText(state, text)
    if (typeof unmasked !== 'string') return unmasked
    return answered(checkText(name, unmasked, await this.#options.fileEnvironment()))
  }

  async archived(name: FileName): Promise<Answer<{ entries: ArchiveEntry[] }, 'NOT_FOUND'>> {
    const state = await this.state(name)
    if (state === undefined) return NO_FILE
    const lines = await this.#options.archive.list(name)
    // The live version is the newest line with the live digest: the same text may have been live before.
    const live = lines.findIndex(({ digest }) => digest === state.live?.digest)
    return answered({ entries: lines.map((line, index) => ({ ...line, live: index === live })) })
  }

  async version(name: FileName, digest: string): Promise<Answer<FileVersion, 'NOT_FOUND'>> {
    const state = await this.state(name)
    const found = await this.#options.archive.read(name, digest)
    if (state === undefined || found === undefined) return failed('NOT_FOUND', 'There is no such version.')
    const gateway = await this.state('gl_config.json')
    const masks = masksOf(state.file, secretNames([gateway?.live?.text, found.text]))
    return answered(versionOf({ ...state, masks }, found))
  }

  async restore(
    name: FileName,
    digest: string,
    { tag, caller }: { tag: string; caller: Caller },
  ): Promise<Answer<File, RestoreFailure>> {
    return this.change(name, async (state): Promise<Answer<File, RestoreFailure>> => {
      const found = await this.#options.archive.read(name, digest)
      if (found === undefined) return failed('NOT_FOUND', 'There is no such version.')
      if (tag !== currentText(state).digest) return draftConflict(state, found)
      return await this.keep(state, { text: found.text, base: state.live ?? EMPTY, caller })
    })
  }

  /** Runs a change on the state of a file. */
  async change<Value, Code extends FailureCode>(
    name: FileName,
    work: (state: FileState) => Promise<Answer<Value, Code>>,
  ): Promise<Answer<Value, Code | 'NOT_FOUND'>> {
    const state = await this.state(name)
    return state === undefined ? NO_FILE : await work(state)
  }

  /** Writes the draft, or removes the draft when the text is the live text. */
  async keep(
    state: FileState,
    { text, base, caller }: { readonly text: string; readonly base: FileText; readonly caller: Caller },
  ): Promise<Answer<File, KeepFailure>> {
    const { file, live } = state
    if (Buffer.byteLength(text) > MOST_BYTES || (file.kind === 'json' && jsonTree(text) === undefined))
      return failed('BAD_REQUEST', 'The text is too deep or too large for a configuration file.')
    const changes = readOnlyChanges(file, live?.text ?? '', text)
    if (changes.length > 0) return failed('READ_ONLY', READ_ONLY_FIELDS, { fields: [...changes] })
    const savedAt = new Date(this.#options.now()).toISOString()
    const draft = { draft: fileText(text), base, savedAt, savedBy: caller.name }
    const isLive = draft.draft.digest === live?.digest
    const { drafts } = this.#options
    const writing = isLive ? drafts.remove(file.name) : drafts.write(file.name, draft)
    const refused = await writing.catch(notWritable)
    if (refused !== undefined) return refused
    // The other texts are those from which the change began: a file that grew meanwhile would end the answer here.
    return answered(await this.#view(stateOf(state, isLive ? undefined : draft)))
  }

  /** Pages ask every few seconds, so files with an unchanged stamp are not read again. */
  async #summary({ name, live }: KnownFile): Promise<FileSummary | undefined> {
    const stamp = `${await stampOf(live)} ${await this.#options.drafts.stamp(name)}`
    const known = this.#summaries.get(name)
    if (known?.stamp === stamp) return known.summary
    const state = await this.state(name)
    if (state === undefined) return undefined
    const summary = summaryOf(state)
    this.#summaries.set(name, { stamp, summary })
    return summary
  }

  async #changedText(state: FileState, change: SaveDraft): Promise<string | Failed<'CONFLICT' | TextFailure>> {
    const current = currentText(state)
    if ('edits' in change) {
      if (change.tag !== current.digest) return draftConflict(state, undefined)
      if (state.file.kind !== 'json') return failed('BAD_REQUEST', 'This file can only be saved as a complete text.')
      const edited = applyJsonEdits(current.text, change.edits, state.masks.names)
      if (edited.kind === 'text') return edited.text
      return failed(edited.code, 'The change does not fit the file.', { fields: [...edited.fields] })
    }
    const unmasked = unmaskedText(state, change.text, change.base !== undefined)
    if (change.tag !== current.digest)
      return draftConflict(state, fileText(typeof unmasked === 'string' ? unmasked : change.text))
    if (typeof unmasked !== 'string') return unmasked
    if (change.base !== undefined && change.base !== state.live?.digest) return liveConflict(state, fileText(unmasked))
    return unmasked
  }

  async #view(state: FileState): Promise<File> {
    const { file, live, draft, masks } = state
    const current = currentText(state)
    const { text, paths } = masks.mask(current.text)
    return {
      ...summaryOf(state),
      live: live === undefined ? null : versionOf(state, live),
      base: draft === undefined ? null : versionOf(state, draft.base),
      text,
      tag: current.digest,
      check: checkText(file.name, current.text, await this.#options.fileEnvironment()),
      read_only: readOnlyPaths(file.name).map((path) => [...path]),
      masked: paths.map((path) => [...path]),
    }
  }
}

function stateOf(texts: Pick<FileState, 'file' | 'live' | 'glConfig'>, draft: Draft | undefined): FileState {
  const { file, live, glConfig } = texts
  const drafted = file.name === 'gl_config.json' ? [draft?.draft.text, draft?.base.text] : []
  return { file, live, draft, glConfig, masks: masksOf(file, secretNames([glConfig, ...drafted])) }
}

/** Returns the text that is edited: the draft if there is one, else the live text. */
export function currentText({ live, draft }: FileState): FileText {
  return draft?.draft ?? live ?? EMPTY
}

function versionOf({ masks }: FileState, { digest, text }: FileText): FileVersion {
  return { digest, text: masks.mask(text).text }
}

/** Returns the conflict of a draft that somebody else saved meanwhile. */
function draftConflict(state: FileState, yours: FileText | undefined): Failed<'CONFLICT'> {
  const theirs = currentText(state)
  const conflict = {
    file: state.file.name,
    kind: 'draft',
    base: null,
    theirs: versionOf(state, theirs),
    yours: versionOf(state, yours ?? theirs),
  } as const
  return failed('CONFLICT', 'Another person changed the draft meanwhile. Merge both changes and save again.', {
    conflict,
  })
}

/** Returns the conflict of a live file that changed since the draft began. */
export function liveConflict(state: FileState, yours: FileText): Failed<'CONFLICT'> {
  const conflict = {
    file: state.file.name,
    kind: 'live',
    base: versionOf(state, state.draft?.base ?? EMPTY),
    theirs: versionOf(state, state.live ?? EMPTY),
    yours: versionOf(state, yours),
  } as const
  return failed('CONFLICT', 'The live file was changed meanwhile. Merge both changes and save again.', {
    conflict,
  })
}

/**
 * Puts the secrets of the draft and the live file back into a text. A text that is not JSON is refused, because its
 * secrets could not be found and masked later.
 */
function unmaskedText(state: FileState, text: string, isMerge = false): string | Failed<TextFailure> {
  if (state.file.kind === 'json' && jsonTree(text) === undefined)
    return failed('BAD_REQUEST', 'The text is not JSON, or is too deep or too large for a configuration file.', {
      fields: [{ path: [], message: 'not JSON' }],
    })
  const { live, draft } = state
  const merged = { base: draft?.base.text ?? '', live: live?.text ?? '' }
  const unmasked = state.masks.unmask(text, { own: currentText(state).text, ...(isMerge ? { merged } : {}) })
  if (unmasked.kind === 'text') return unmasked.text
  return failed('MASKED_NOWHERE', 'The text has a mask in a place where no value was masked.', {
    fields: [...unmasked.fields],
  })
}

function summaryOf({ file, live, draft }: FileState): FileSummary {
  return {
    name: file.name,
    kind: file.kind,
    service: file.service,
    live: live === undefined ? null : { digest: live.digest },
    draft:
      draft === undefined
        ? null
        : {
            digest: draft.draft.digest,
            saved_at: draft.savedAt,
            saved_by: draft.savedBy,
            conflict: draft.base.digest !== (live ?? EMPTY).digest,
          },
    takes_effect: file.takesEffect,
  }
}
