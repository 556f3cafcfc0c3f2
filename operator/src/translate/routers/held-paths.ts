/**
 * Tells which namespace holds which path of a gateway (docs/reference/kubernetes.md#paths). Paths end with a slash, so
 * a prefix of a path is above it. The paths share their beginnings in a tree with at most two nodes for each path, so
 * that time and memory are linear in the characters of the paths, however many segments they have.
 */
export class HeldPaths {
  readonly #gatewayNamespace: string
  readonly #root: PathNode = nodeOf('')
  #nodes = 0

  constructor(gatewayNamespace: string) {
    this.#gatewayNamespace = gatewayNamespace
  }

  /** The number of nodes of the tree. */
  get nodes(): number {
    return this.#nodes
  }

  /** Gives a path to a namespace. Returns the held path that forbids this; undefined: the namespace has the path. */
  hold(path: string, namespace: string): string | undefined {
    const conflict = this.#conflict(path, namespace)
    if (conflict === undefined) this.#insert(path, namespace)
    return conflict
  }

  #conflict(path: string, namespace: string): string | undefined {
    let above: string | undefined
    let node: PathNode | undefined = this.#root
    let length = 0
    while (length < path.length) {
      node = node.below.get(path.charAt(length))
      if (node === undefined || !path.startsWith(node.part, length)) break
      length += node.part.length
      if (length < path.length && this.#isForeign(node.holder, namespace)) above ??= path.slice(0, length)
    }
    if (node !== undefined && length === path.length && node.holder !== undefined) return path
    if (above !== undefined) return above
    // The gateway's own namespace may hold a path above the paths of other namespaces.
    if (node === undefined || namespace === this.#gatewayNamespace) return undefined
    // Here the path ends at the node or within its part, or it leaves the tree.
    if (!node.part.startsWith(path.slice(length))) return undefined
    return node.holders !== undefined && node.holders !== namespace ? `${path}…` : undefined
  }

  #insert(path: string, namespace: string): void {
    let node = this.#root
    let length = 0
    while (length < path.length) {
      const next = this.#step(node, path.slice(length))
      next.holders = next.holders === undefined || next.holders === namespace ? namespace : MANY
      length += next.part.length
      node = next
    }
    node.holder = namespace
  }

  /** Returns the node below with a beginning of the rest of a path. It is made, or cut from a longer one. */
  #step(above: PathNode, rest: string): PathNode {
    const first = rest.charAt(0)
    const known = above.below.get(first)
    if (known !== undefined && rest.startsWith(known.part)) return known
    const next = nodeOf(known === undefined ? rest : sharedBeginning(known.part, rest))
    if (known !== undefined) {
      known.part = known.part.slice(next.part.length)
      next.below.set(known.part.charAt(0), known)
      next.holders = known.holders
    }
    above.below.set(first, next)
    this.#nodes += 1
    return next
  }

  #isForeign(holder: string | undefined, namespace: string): boolean {
    return holder !== undefined && holder !== namespace && holder !== this.#gatewayNamespace
  }
}

const MANY = Symbol('more than one namespace')

type PathNode = {
  /** The characters between the node above and this node. */
  part: string
  /** The namespace that holds the path that ends here. */
  holder: string | undefined
  /** The namespace that holds the paths that end here or below. */
  holders: string | typeof MANY | undefined
  /** First character of its part → node. */
  readonly below: Map<string, PathNode>
}

function nodeOf(part: string): PathNode {
  return { part, holder: undefined, holders: undefined, below: new Map() }
}

function sharedBeginning(one: string, other: string): string {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return one.slice(0, length)
}
