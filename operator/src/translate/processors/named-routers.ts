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
