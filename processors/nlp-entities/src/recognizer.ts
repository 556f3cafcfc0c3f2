import type { Entity } from './entity.ts'

/** Finds the entities of a text: the built-in one or a configured endpoint. */
export type Recognizer = {
  /** In the text's order; rejects where there is no answer, within `limitMs` where it is given. */
  entities(text: string, limitMs?: number): Promise<readonly Entity[]>
  /** False while it can't answer. */
  ready?(): boolean
  close(): Promise<void>
}
