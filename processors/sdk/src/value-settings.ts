import { z } from 'zod'

export type NumberBounds = { readonly min?: number; readonly max?: number }

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const OFF: ReadonlySet<string> = new Set(['false', '0', 'no', 'off'])

/** For a processor whose settings file has only what every processor's has. */
export const noSettings = z.object({})

/** A number of a settings file, or the decimal text of one: what a variable or a reference gives is text. */
export function numberSetting({ min = -Number.MAX_VALUE, max = Number.MAX_VALUE }: NumberBounds = {}) {
  return z.preprocess(numberOfText, z.number().min(min).max(max))
}

/** A boolean of a settings file, or a text: false, 0, no and off, whatever their case, are false, all others true. */
export function booleanSetting() {
  return z.preprocess(booleanOfText, z.boolean())
}

function numberOfText(value: unknown): unknown {
  return typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value) : value
}

function booleanOfText(value: unknown): unknown {
  // An empty text is a reference that led nowhere, which is an error like everywhere else.
  return typeof value === 'string' && value !== '' ? !OFF.has(value.trim().toLowerCase()) : value
}
