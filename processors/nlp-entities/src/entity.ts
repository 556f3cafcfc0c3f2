/** One entity of a text, in the form of the record (docs/reference/processors.md#nlp-entities). */
export type Entity = { readonly text: string; readonly label: string }

/** The labels of the built-in recogniser: OntoNotes' names, as spaCy's models give them, and those that have to be asked for. */
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

/** Written only where the settings name them: they identify people. */
export const FURTHER_LABELS = ['EMAIL', 'PHONE', 'IBAN', 'CARD', 'IP_ADDRESS'] as const

export type Label = (typeof LABELS)[number]

/** Where an entity lies in its text, UTF-16 units. */
export type Span = { readonly start: number; readonly end: number; readonly label: Label }

/** Whether something that crossed a thread or a wire is an entity. */
export function isEntity(value: unknown): value is Entity {
  if (typeof value !== 'object' || value === null || !('text' in value && 'label' in value)) return false
  return typeof value.text === 'string' && typeof value.label === 'string'
}

/** Finds the entities of a text: the built-in one or a configured endpoint. */
export type Recognizer = {
  /** In the text's order; rejects where there is no answer, within `limitMs` where it is given. */
  entities(text: string, limitMs?: number): Promise<readonly Entity[]>
  /** False while it can't answer. */
  ready?(): boolean
  close(): Promise<void>
}
