import type { Processor } from '@llm-gateway/crds'

/** Every router path that a Processor names, with where it does. */
export function namedRouters({ spec }: Processor): readonly NamedRouter[] {
  const named = (field: string, paths: readonly string[] = []): readonly NamedRouter[] =>
    paths.filter((path) => path !== DEFAULT).map((path) => ({ field, path }))
  const ofEntries = (field: string, entries: readonly { readonly router: string }[] = []) =>
    named(
      field,
      entries.map(({ router }) => router),
    )
  return [
    ...named('routers', spec.routers),
    ...named('request.rerouteTo', spec.request?.rerouteTo),
    ...(spec.broker?.pools ?? []).flatMap(({ path, members }) => named('broker.pools', [path, ...members])),
    ...(spec.regex?.patterns ?? []).flatMap(({ routers }) => named('regex.patterns', routers)),
    ...ofEntries('tokenizer.routers', spec.tokenizer?.routers),
    ...ofEntries('nlpEntities.routers', spec.nlpEntities?.routers),
    ...ofEntries('tokenCounter.tokenCaps', spec.tokenCounter?.tokenCaps),
    ...ofEntries('tokenCounter.usageFields', spec.tokenCounter?.usageFields),
  ]
}

export type NamedRouter = { readonly field: string; readonly path: string }

/** In settings: every Router that no other entry names. */
const DEFAULT = 'default'

type Pool = { readonly path: string; readonly members: readonly string[] }

/** A Broker's pools without what isn't there: it must not send calls to a member that no Router is. */
export function foundPools({ spec }: Processor, known: ReadonlySet<string>): readonly Pool[] {
  return (spec.broker?.pools ?? [])
    .filter(({ path }) => known.has(path))
    .map(({ path, members }) => ({ path, members: members.filter((member) => known.has(member)) }))
    .filter(({ members }) => members.length > 0)
}
