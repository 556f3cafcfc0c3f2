import { referencedNames } from '@llm-gateway/conf/editor'
import type { Router } from '@llm-gateway/crds'
import type { ClusterView } from './cluster-view.ts'
import type { CallerHeaders } from './questions.ts'
import { namesOfSecrets, secretsOf } from './resource-masks.ts'

const NO_HEADERS: CallerHeaders = { headers: [], secrets: [] }
const ANY = 'regex:.+'

/** Returns the headers that the Router of a path asks of callers. Headers whose values are in Secrets are left out. */
export function callerHeaders(view: ClusterView, path: string, maskedHeaders: readonly string[]): CallerHeaders {
  const router = view.attachedRouters.find(({ spec }) => spec.path === path)
  if (router === undefined) return NO_HEADERS
  const headers = Object.entries(router.spec.ingress?.headers ?? {}).flatMap(([name, values]) => {
    const known = values.filter((value) => value !== ANY).map((value) => withLiterals(value, router))
    return known.length > 0 && known.every((value) => referencedNames(value).length === 0)
      ? [[name, known] as const]
      : []
  })
  return { headers, secrets: secretsOf(router.spec, namesOfSecrets(maskedHeaders)) }
}

/** Replaces variables by literals that stand in the resource itself. */
function withLiterals(text: string, { spec }: Router): string {
  return (spec.env ?? []).reduce(
    (all, { name, value }) => (value === undefined ? all : all.replaceAll(`\${${name}}`, () => value)),
    text,
  )
}
