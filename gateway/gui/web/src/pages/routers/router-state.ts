import type { Router } from '@llm-gateway/gui-api'
import { texts } from '../../texts.ts'
import type { Tone } from '../../ui/notice.tsx'

const TONES: Readonly<Record<Router['state'], Tone | undefined>> = {
  active: 'good',
  internal: 'accent',
  disabled: undefined,
  rejected: 'bad',
}

/** Returns a router's state as a word and a colour. */
export function routerState({ state }: Router): { readonly word: string; readonly tone: Tone | undefined } {
  return { word: texts.routers.states[state], tone: TONES[state] }
}
