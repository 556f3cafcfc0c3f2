import type { Entity } from './entity.ts'

/** Finds the entities of a text: the built-in one or a configured endpoint. */
export type Recognizer = {
  /** In the text's order; rejects where there is no answer. */
  entities(text: string): Promise<readonly Entity[]>
  close(): Promise<void>
}
