import type { ResourceCheck } from '@llm-gateway/gui-api'
import { isObject, listAt, textAt } from '@llm-gateway/kube'

const MOST_CHARACTERS = 128 * 1024

type Parts = ReadonlyMap<string, string>

/** Returns the parts of gl_config.json that differ, with routers matched by their paths; null if none differ. */
export function changedParts(before: string, after: string): ResourceCheck['file'] {
  if (before === after) return null
  const [old, now] = [partsOf(before), partsOf(after)]
  const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name))
  const [one, other] = [old, now].map((parts) => names.flatMap((name) => parts.get(name) ?? []).join('\n'))
  const cut = [one, other].some((text = '') => text.length > MOST_CHARACTERS)
  return { before: one?.slice(0, MOST_CHARACTERS) ?? '', after: other?.slice(0, MOST_CHARACTERS) ?? '', cut }
}

/** Maps each router's path and each other setting's name to its text. */
function partsOf(text: string): Parts {
  const file: unknown = JSON.parse(text)
  const settings = Object.entries(isObject(file) ? file : {}).filter(([name]) => name !== 'routers')
  return new Map([
    ...settings.map(([name, value]) => [name, JSON.stringify({ [name]: value }, null, 2)] as const),
    ...listAt(file, 'routers').map(
      (router) => [`/${textAt(router, 'path')}`, JSON.stringify(router, null, 2)] as const,
    ),
  ])
}
