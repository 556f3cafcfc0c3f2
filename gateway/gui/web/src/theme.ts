import { useSyncExternalStore } from 'react'

/** The chosen theme; `system` follows the machine's setting. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'theme'
const listeners = new Set<() => void>()

export function rememberedTheme(): Theme {
  const found = localStorage.getItem(KEY)
  return found === 'light' || found === 'dark' ? found : 'system'
}

export function showTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme)
  showTheme(theme)
  for (const listener of listeners) listener()
}

/** Returns the chosen theme and the theme that is shown on this machine. */
export function useTheme(): { readonly chosen: Theme; readonly shown: 'light' | 'dark' } {
  const chosen = useSyncExternalStore(subscribe, rememberedTheme)
  const system = useSyncExternalStore(subscribe, systemTheme)
  return { chosen, shown: chosen === 'system' ? system : chosen }
}

function systemTheme(): 'light' | 'dark' {
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

function subscribe(listener: () => void): () => void {
  const system = matchMedia('(prefers-color-scheme: dark)')
  listeners.add(listener)
  system.addEventListener('change', listener)
  return () => {
    listeners.delete(listener)
    system.removeEventListener('change', listener)
  }
}
