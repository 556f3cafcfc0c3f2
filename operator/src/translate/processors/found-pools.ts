import type { Processor } from '@llm-gateway/crds'

export type Pool = { readonly path: string; readonly members: readonly string[] }

/** A Broker's pools without what isn't there: it must not send calls to a member that no Router is. */
export function foundPools({ spec }: Processor, known: ReadonlySet<string>): readonly Pool[] {
  return (spec.broker?.pools ?? [])
    .filter(({ path }) => known.has(path))
    .map(({ path, members }) => ({ path, members: members.filter((member) => known.has(member)) }))
    .filter(({ members }) => members.length > 0)
}
