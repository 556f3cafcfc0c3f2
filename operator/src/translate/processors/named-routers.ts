import type { Processor } from '@llm-gateway/crds'

/** Returns every router path that a Processor names, with its field. */
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

/** In settings: the word for all Routers without an entry of their own. */
const DEFAULT = 'default'

type Pool = { readonly path: string; readonly members: readonly string[] }

/** Returns a Broker's pools without unknown paths, so that it sends no call to a member that isn't a Router. */
export function knownPools({ spec }: Processor, known: ReadonlySet<string>): readonly Pool[] {
  return (spec.broker?.pools ?? [])
    .filter(({ path }) => known.has(path))
    .map(({ path, members }) => ({ path, members: members.filter((member) => known.has(member)) }))
    .filter(({ members }) => members.length > 0)
}
