import { z } from 'zod'

export type NumberBounds = { readonly min?: number; readonly max?: number }

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const OFF: ReadonlySet<string> = new Set(['false', '0', 'no', 'off'])

/** The schema of a processor without settings of its own. */
export const noSettings = z.object({})

/** Accepts a number or its decimal text, since variables and references give text. */
export function numberSetting({ min = -Number.MAX_VALUE, max = Number.MAX_VALUE }: NumberBounds = {}) {
  return z.preprocess(numberOfText, z.number().min(min).max(max))
}

/** Accepts a boolean or a text: false, 0, no and off (in any case) are false, all other texts true. */
export function booleanSetting() {
  return z.preprocess(booleanOfText, z.boolean())
}

function numberOfText(value: unknown): unknown {
  return typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value) : value
}

function booleanOfText(value: unknown): unknown {
  // An empty text comes from an unset reference, which stays an error.
  return typeof value === 'string' && value !== '' ? !OFF.has(value.trim().toLowerCase()) : value
}
