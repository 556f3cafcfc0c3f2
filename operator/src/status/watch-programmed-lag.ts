import type { Router } from '@llm-gateway/crds'
import type { ClusterState } from '../kube/cluster-state.ts'

export type LagOptions = {
  readonly state: Pick<ClusterState, 'routers' | 'isSynced'>
  /** Seconds from the first sight of an edit until its Router was Programmed. */
  readonly programmed: (seconds: number) => void
  /** Milliseconds of a clock that never goes back. */
  readonly clock?: () => number
}

type Edit = { readonly generation: number; readonly at: number }

const SECOND_MS = 1_000

/** Measures the time from each edit of a Router until every pod has it. Routers present at the start aren't edits. */
export function watchProgrammedLag({ state, programmed, clock = () => performance.now() }: LagOptions): void {
  /** At most one edit per Router, the newest. */
  const edits = new Map<string, Edit>()
  state.routers.onChange(({ key, before, after }) => {
    if (after === undefined) return edits.delete(key)
    const { generation } = after.metadata
    if (state.isSynced && generation !== before?.metadata.generation) edits.set(key, { generation, at: clock() })
    const edit = edits.get(key)
    if (edit === undefined || !isProgrammed(after, edit.generation)) return
    edits.delete(key)
    programmed((clock() - edit.at) / SECOND_MS)
  })
}

function isProgrammed({ status }: Router, generation: number): boolean {
  const condition = status.conditions?.find(({ type }) => type === 'Programmed')
  return condition?.status === 'True' && (condition.observedGeneration ?? 0) >= generation
}
