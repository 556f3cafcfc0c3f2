import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

export const CHAT_LANGUAGES = ['en', 'de', 'fr', 'es'] as const

export type ChatLanguage = (typeof CHAT_LANGUAGES)[number]

export type ChatLine = {
  readonly text: string
  readonly abusive: boolean
  /** The heading above the text, for example `code` or `threat`. */
  readonly topic: string
  /** True for the half that judges the content filter. Nobody reads its lines while changing rules. */
  readonly heldOut: boolean
}

const HEADING = /^# (ordinary|abuse) (\S+)$/

/** Reads the texts of one language: questions to a model, and abuse. */
export function readChat(language: ChatLanguage): readonly ChatLine[] {
  return linesOf(chatFile(language)).map((line) => ({ ...line, heldOut: isHeldOut(line.text, line.pattern) }))
}

/** Reads texts that another person wrote after the rules. Nobody may read them while changing rules. */
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

/** Returns the unchanged text of the file, for the hash. */
export function chatFile(language: ChatLanguage): string {
  return readFileSync(new URL(`chat.${language}.txt`, import.meta.url), 'utf8')
}

export function laterFile(language: ChatLanguage): string {
  return readFileSync(new URL(`later.${language}.txt`, import.meta.url), 'utf8')
}

/**
 * Decides by the hash of the text. Sentences made from one pattern share a half, so that the halves stay independent.
 */
function isHeldOut(text: string, pattern: string | undefined): boolean {
  if (pattern !== undefined) return Number(pattern.split(' ')[1]) % 2 === 1
  return (createHash('sha256').update(text).digest()[0] ?? 0) % 2 === 1
}
