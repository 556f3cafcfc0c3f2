/**
 * Tells which namespace holds which path of a gateway (docs/reference/kubernetes.md#paths). Paths end with a slash, so
 * a prefix of a path is above it.
 */
export class HeldPaths {
  readonly #gatewayNamespace: string
  readonly #holders = new Map<string, string>()
  /** Path → namespaces that hold a path below it. */
  readonly #below = new Map<string, Set<string>>()

  constructor(gatewayNamespace: string) {
    this.#gatewayNamespace = gatewayNamespace
  }

  /** Gives a path to a namespace. Returns the held path that forbids this; undefined: the namespace has the path. */
  hold(path: string, namespace: string): string | undefined {
    const conflict = this.#conflict(path, namespace)
    if (conflict !== undefined) return conflict
    this.#holders.set(path, namespace)
    for (const above of pathsAbove(path)) {
      const namespaces = this.#below.get(above) ?? new Set()
      this.#below.set(above, namespaces.add(namespace))
    }
    return undefined
  }

  #conflict(path: string, namespace: string): string | undefined {
    if (this.#holders.has(path)) return path
    const above = pathsAbove(path).find((held) => this.#isForeign(this.#holders.get(held), namespace))
    if (above !== undefined) return above
    // The gateway's own namespace may hold a path above the paths of other namespaces.
    if (namespace === this.#gatewayNamespace) return undefined
    const below = [...(this.#below.get(path) ?? [])]
    return below.some((other) => other !== namespace) ? `${path}…` : undefined
  }

  #isForeign(holder: string | undefined, namespace: string): boolean {
    return holder !== undefined && holder !== namespace && holder !== this.#gatewayNamespace
  }
}

/** Returns the paths above a path: `/a/b/` → `/`, `/a/`. */
function pathsAbove(path: string): readonly string[] {
  const above: string[] = []
  for (let slash = 0; slash < path.length - 1; slash = path.indexOf('/', slash + 1))
    above.push(path.slice(0, slash + 1))
  return above
}
