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
  return linesOf(chatFile(language)).map((line) => ({ ...line, heldOut: isHeldOut(line.text, line.pattern) }))
}

/** Texts that somebody else wrote after the rules: none of them may be looked at while rules are changed. */
export function readLater(language: ChatLanguage): readonly ChatLine[] {
  return linesOf(laterFile(language)).map((line) => ({ ...line, heldOut: true }))
}

type WrittenLine = Omit<ChatLine, 'heldOut'> & { readonly pattern: string | undefined }

function linesOf(file: string): readonly WrittenLine[] {
  let abusive = false
  let topic = ''
  return file
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
      return [{ text, abusive, topic, pattern }]
    })
}

/** The file as it is, for its hash. */
export function chatFile(language: ChatLanguage): string {
  return readFileSync(new URL(`chat.${language}.txt`, import.meta.url), 'utf8')
}

export function laterFile(language: ChatLanguage): string {
  return readFileSync(new URL(`later.${language}.txt`, import.meta.url), 'utf8')
}

/** By the hash of the text. Sentences made of one pattern share a half, or the halves would know each other. */
function isHeldOut(text: string, pattern: string | undefined): boolean {
  if (pattern !== undefined) return Number(pattern.split(' ')[1]) % 2 === 1
  return (createHash('sha256').update(text).digest()[0] ?? 0) % 2 === 1
}
