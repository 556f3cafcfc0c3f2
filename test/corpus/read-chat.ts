import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

export const CHAT_LANGUAGES = ['en', 'de', 'fr', 'es'] as const

export type ChatLanguage = (typeof CHAT_LANGUAGES)[number]

export type ChatLine = {
  readonly text: string
  readonly abusive: boolean
  /** The heading it stands under, `code` or `threat`. */
  readonly topic: string
  /** The half that decides; nobody reads its lines while mending rules. */
  readonly heldOut: boolean
}

const HEADING = /^# (ordinary|abuse) (\S+)$/

/** The committed texts of one language: what people ask a model, and abuse. */
export function readChat(language: ChatLanguage): readonly ChatLine[] {
  let abusive = false
  let topic = ''
  return chatFile(language)
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const heading = HEADING.exec(line)
      if (heading !== null) {
        abusive = heading[1] === 'abuse'
        topic = heading[2] ?? ''
        return []
      }
      const [text = '', pattern] = line.split('\t')
      return [{ text, abusive, topic, heldOut: isHeldOut(text, pattern) }]
    })
}

/** The file as it is, for its hash. */
export function chatFile(language: ChatLanguage): string {
  return readFileSync(new URL(`chat.${language}.txt`, import.meta.url), 'utf8')
}

/** By the hash of the text. Sentences made of one pattern share a half, or the halves would know each other. */
function isHeldOut(text: string, pattern: string | undefined): boolean {
  if (pattern !== undefined) return Number(pattern.split(' ')[1]) % 2 === 1
  return (createHash('sha256').update(text).digest()[0] ?? 0) % 2 === 1
}
