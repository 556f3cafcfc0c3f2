import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileName } from '@llm-gateway/gui-api'
import {
  type FileCost,
  type FileText,
  fileCost,
  fileText,
  MOST_BYTES,
  readOwnText,
  stampOf,
  writeOwnText,
} from './file-text.ts'

/** A person's edited text with its secrets. The text stays in this process and in a file that only the user reads. */
export type Draft = {
  readonly draft: FileText
  /** The live text that the draft began with. */
  readonly base: FileText
  /** RFC 3339 */
  readonly savedAt: string
  readonly savedBy: string
}

/** Two texts as JSON strings, in which a character takes up to six bytes. */
const MOST_KEPT_BYTES = 13 * MOST_BYTES

/** Keeps one draft for each file in the working directory, so that drafts survive a restart. */
export class DraftStore {
  readonly #folder: string
  readonly #mostWork: number | undefined

  /** @param mostWork rejects drafts with more work with a GrownTextError */
  constructor(folder: string, mostWork?: number) {
    this.#folder = folder
    this.#mostWork = mostWork
  }

  /** Returns the draft; undefined if there is none or it is unreadable. */
  async read(name: FileName): Promise<Draft | undefined> {
    const kept = await readOwnText(this.#path(name), { mostBytes: MOST_KEPT_BYTES, mostWork: this.#mostWork })
    if (kept === undefined) return undefined
    const { draft, base, saved_at: savedAt, saved_by: savedBy } = parsedObject(kept.text)
    const texts = [draft, base, savedAt, savedBy]
    if (!texts.every((text) => typeof text === 'string')) return undefined
    return {
      draft: fileText(String(draft)),
      base: fileText(String(base)),
      savedAt: String(savedAt),
      savedBy: String(savedBy),
    }
  }

  /** Returns the cost of the kept draft and its base. */
  cost(name: FileName): Promise<FileCost> {
    return fileCost(this.#path(name))
  }

  stamp(name: FileName): Promise<string> {
    return stampOf(this.#path(name))
  }

  /** Writes a draft. Rejects when the folder can't be written. */
  async write(name: FileName, { draft, base, savedAt, savedBy }: Draft): Promise<void> {
    const kept = { saved_at: savedAt, saved_by: savedBy, base: base.text, draft: draft.text }
    await writeOwnText(this.#path(name), `${JSON.stringify(kept)}\n`)
  }

  async remove(name: FileName): Promise<void> {
    await rm(this.#path(name), { force: true })
  }

  #path(name: FileName): string {
    return join(this.#folder, `${name}.draft.json`)
  }
}

function parsedObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...Object(JSON.parse(text)) }
  } catch {
    return {} // This program did not write the file, so there is no draft.
  }
}
