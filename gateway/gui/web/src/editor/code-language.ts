import { json } from '@codemirror/lang-json'
import { yaml } from '@codemirror/lang-yaml'
import type { Extension } from '@codemirror/state'

export type CodeLanguage = 'json' | 'yaml'

export function codeLanguage(language: CodeLanguage): Extension {
  return language === 'json' ? json() : yaml()
}
