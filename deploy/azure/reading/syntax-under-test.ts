/** An expression of either language. */
export type Syntax =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'list'; readonly items: readonly Syntax[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [key: Syntax, value: Syntax])[] }
  | { readonly kind: 'text'; readonly parts: readonly Syntax[] }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'call'; readonly of?: Syntax; readonly name: string; readonly args: readonly Syntax[] }
  | { readonly kind: 'member'; readonly of: Syntax; readonly name: string | number }
  | { readonly kind: 'choice'; readonly condition: Syntax; readonly yes: Syntax; readonly no: Syntax }

/** A parameter's declaration, as both languages express it; undefined members are left out. */
export type ReadParameter = {
  readonly type: string
  readonly isSecure: boolean
  readonly default?: Syntax
  readonly limits: Readonly<Record<string, unknown>>
}

/** Returns every name in an expression, except names of functions. */
export function namesIn(syntax: Syntax): readonly string[] {
  switch (syntax.kind) {
    case 'literal':
      return []
    case 'name':
      return [syntax.name]
    case 'list':
      return syntax.items.flatMap(namesIn)
    case 'object':
      return syntax.entries.flat().flatMap(namesIn)
    case 'text':
      return syntax.parts.flatMap(namesIn)
    case 'call':
      return [...(syntax.of === undefined ? [] : namesIn(syntax.of)), ...syntax.args.flatMap(namesIn)]
    case 'member':
      return namesIn(syntax.of)
    case 'choice':
      return [syntax.condition, syntax.yes, syntax.no].flatMap(namesIn)
    default:
      return syntax satisfies never
  }
}
