import type { ResourceKind } from '@llm-gateway/gui-api'
import { useMemo, useState, useSyncExternalStore } from 'react'
import { isObject, parseJson, textOf } from '../../json-value.ts'

export type Place = { readonly kind: ResourceKind; readonly namespace: string; readonly name: string }
/** Whose page this is: one address of a browser may show another cluster tomorrow. */
export type GatewayName = { readonly namespace: string; readonly gateway: string }

export type Draft = {
  readonly text: string
  /** The stored manifest that it began with; null: there was none. */
  readonly base: string | null
}

export type KeptDraft = Draft & {
  /** False: the browser's storage is full or off, so a reload loses it. */
  readonly isKept: boolean
}

const PREFIX = 'draft '
const listeners = new Set<() => void>()

/** A resource's draft in this browser, in step with the other windows that show it. */
export function useDraft(gateway: GatewayName, place: Place) {
  const key = `${prefixOf(gateway)}${place.kind}/${place.namespace}/${place.name}`
  const stored = useSyncExternalStore(subscribe, () => localStorage.getItem(key))
  const [unkept, setUnkept] = useState<string>()
  const draft = useMemo((): KeptDraft | undefined => {
    const found = draftOf(unkept ?? stored)
    return found === undefined ? undefined : { ...found, isKept: unkept === undefined }
  }, [unkept, stored])
  const keep = (next: Draft | undefined): void => {
    if (next === undefined) {
      setUnkept(undefined)
      localStorage.removeItem(key)
    } else {
      const text = JSON.stringify(next)
      setUnkept(isWritten(key, text) ? undefined : text)
    }
    tellAll()
  }
  return { draft, keep }
}

/** Which resources of a kind have a draft here. */
export function useDraftPlaces(gateway: GatewayName, kind: ResourceKind): readonly Place[] {
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

/** Begins a draft of a resource that isn't in the cluster; false: the browser can't keep it. */
export function beginDraft(gateway: GatewayName, place: Place, text: string): boolean {
  const key = `${prefixOf(gateway)}${place.kind}/${place.namespace}/${place.name}`
  const written = isWritten(key, JSON.stringify({ text, base: null } satisfies Draft))
  tellAll()
  return written
}

function prefixOf({ namespace, gateway }: GatewayName): string {
  return `${PREFIX}${namespace}/${gateway} `
}

function isWritten(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text)
    return true
  } catch {
    // Full, or forbidden by the browser's settings; the page says so.
    return false
  }
}

function draftOf(stored: string | null): Draft | undefined {
  if (stored === null) return undefined
  const parsed = parseJson(stored)
  if ('problem' in parsed || !isObject(parsed.value)) return undefined
  const text = textOf(parsed.value.text)
  return text === undefined ? undefined : { text, base: textOf(parsed.value.base) ?? null }
}

function tellAll(): void {
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
