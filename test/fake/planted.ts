import { randomBytes } from 'node:crypto'

/** Secrets by the place they are planted in, each random and distinct. */
export type Planted = {
  /** The secret of a place: made when first asked for, the same from then on. */
  (place: string): string
  /** The place whose secret, as it is or in base64 (`user:secret` too), occurs in a text. */
  foundIn(text: string): string | undefined
}

export function plantSecrets(): Planted {
  const values = new Map<string, string>()
  const secret = (place: string): string => {
    const value = values.get(place) ?? `s${randomBytes(9).toString('hex')}`
    values.set(place, value)
    return value
  }
  const foundIn = (text: string): string | undefined => {
    return [...values].find(([, value]) => forms(value).some((form) => text.includes(form)))?.[0]
  }
  return Object.assign(secret, { foundIn })
}

function forms(value: string): readonly string[] {
  return [value, Buffer.from(value).toString('base64').slice(0, -4), btoa(`user:${value}`)]
}
