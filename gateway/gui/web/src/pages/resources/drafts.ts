import type { ResourceKind } from '@llm-gateway/gui-api'
import { useMemo, useState, useSyncExternalStore } from 'react'
import { isObject, parseJson, textOf } from '../../json-value.ts'

export type DraftPlace = { readonly kind: ResourceKind; readonly namespace: string; readonly name: string }
/** The LLMGateway of a draft: the same address may show another cluster later. */
export type GatewayName = { readonly namespace: string; readonly gateway: string }

export type Draft = {
  readonly text: string
  /** The stored manifest on which the draft began; null if there was none. */
  readonly base: string | null
}

export type StoredDraft = Draft & {
  /** False if the browser's storage is full or off: a reload then loses the draft. */
  readonly isStored: boolean
}

const PREFIX = 'draft '
const listeners = new Set<() => void>()

/** Returns a resource's draft in this browser, in step with other windows. */
export function useDraft(gateway: GatewayName, place: DraftPlace) {
  const key = `${prefixOf(gateway)}${place.kind}/${place.namespace}/${place.name}`
  const stored = useSyncExternalStore(subscribe, () => localStorage.getItem(key))
  const [unkept, setUnkept] = useState<string>()
  const draft = useMemo((): StoredDraft | undefined => {
    const found = draftOf(unkept ?? stored)
    return found === undefined ? undefined : { ...found, isStored: unkept === undefined }
  }, [unkept, stored])
  const keep = (next: Draft | undefined): void => {
    if (next === undefined) {
      setUnkept(undefined)
      localStorage.removeItem(key)
    } else {
      const text = JSON.stringify(next)
      setUnkept(writeItem(key, text) ? undefined : text)
    }
    notifyListeners()
  }
  return { draft, keep }
}

/** Lists the resources of a kind that have a draft in this browser. */
export function useDraftPlaces(gateway: GatewayName, kind: ResourceKind): readonly DraftPlace[] {
  const names = useSyncExternalStore(subscribe, () =>
    Object.keys(localStorage)
      .filter((key) => key.startsWith(`${prefixOf(gateway)}${kind}/`))
      .sort()
      .join('\n'),
  )
  return useMemo(
    () =>
      names.split('\n').flatMap((key) => {
        const [, namespace, name] = key.slice(prefixOf(gateway).length).split('/')
        return namespace === undefined || name === undefined ? [] : [{ kind, namespace, name }]
      }),
    [names, kind, gateway],
  )
}

/** Begins a draft of a new resource; false if the browser can't keep it. */
export function beginDraft(gateway: GatewayName, place: DraftPlace, text: string): boolean {
  const key = `${prefixOf(gateway)}${place.kind}/${place.namespace}/${place.name}`
  const written = writeItem(key, JSON.stringify({ text, base: null } satisfies Draft))
  notifyListeners()
  return written
}

function prefixOf({ namespace, gateway }: GatewayName): string {
  return `${PREFIX}${namespace}/${gateway} `
}

/** Writes an item of the browser's storage; false if the storage is full or forbidden. */
function writeItem(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text)
    return true
  } catch {
    return false // The page says so.
  }
}

function draftOf(stored: string | null): Draft | undefined {
  if (stored === null) return undefined
  const parsed = parseJson(stored)
  if ('problem' in parsed || !isObject(parsed.value)) return undefined
  const text = textOf(parsed.value.text)
  return text === undefined ? undefined : { text, base: textOf(parsed.value.base) ?? null }
}

function notifyListeners(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}
