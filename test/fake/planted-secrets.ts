import { randomBytes } from 'node:crypto'

/** Random and distinct secrets by the place in which they are planted. */
export type PlantedSecrets = {
  /** Returns the secret of a place, which is made at the first call. */
  (place: string): string
  /** Returns the place whose secret occurs in a text, plain or in base64 (also as `user:secret`). */
  foundIn(text: string): string | undefined
}

export function plantSecrets(): PlantedSecrets {
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
