import type { Snapshot } from '../model/snapshot.ts'
import type { Statuses } from '../translate/judge-all.ts'
import type { EntryMemory } from '../translate/routers/entry-memory.ts'
import { type Translation, translate } from '../translate/translate.ts'
import { idealObservation } from './ideal-observation.ts'

export type Judgement = { readonly translation: Translation; readonly statuses: Statuses }

/** What the operator would make and say of a snapshot in a cluster in which everything runs; `now` in RFC 3339. */
export function judgeSnapshot(snapshot: Snapshot, now: string, memory?: EntryMemory): Judgement {
  const translation = translate(snapshot, memory)
  return { translation, statuses: translation.statuses(idealObservation(snapshot, translation, now)) }
}
