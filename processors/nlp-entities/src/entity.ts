/** One entity of a text, in the form of the record (docs/reference/processors.md#nlp-entities). */
export type Entity = { readonly text: string; readonly label: string }

/** The labels of the built-in recognizer: OntoNotes' names, as in spaCy's models, and the further labels. */
export const LABELS = [
  'PERSON',
  'NORP',
  'FAC',
  'ORG',
  'GPE',
  'LOC',
  'PRODUCT',
  'EVENT',
  'WORK_OF_ART',
  'LAW',
  'LANGUAGE',
  'DATE',
  'TIME',
  'PERCENT',
  'MONEY',
  'QUANTITY',
  'ORDINAL',
  'CARDINAL',
  'EMAIL',
  'PHONE',
  'IBAN',
  'CARD',
  'IP_ADDRESS',
] as const

/** Labels that identify people, written only when the settings name them. */
export const FURTHER_LABELS = ['EMAIL', 'PHONE', 'IBAN', 'CARD', 'IP_ADDRESS'] as const

export type Label = (typeof LABELS)[number]

/** The place of an entity in its text, in UTF-16 units. */
export type Span = { readonly start: number; readonly end: number; readonly label: Label }

/** Returns whether a value from a thread or an endpoint is an entity. */
export function isEntity(value: unknown): value is Entity {
  if (typeof value !== 'object' || value === null || !('text' in value && 'label' in value)) return false
  return typeof value.text === 'string' && typeof value.label === 'string'
}

/** A recognizer of entities: the built-in one or a configured endpoint. */
export type Recognizer = {
  /** Returns the entities in the text's order; rejects without an answer, or after `limitMs`. */
  entities(text: string, limitMs?: number): Promise<readonly Entity[]>
  /** Returns false while the recognizer can't answer. */
  ready?(): boolean
  close(): Promise<void>
}
