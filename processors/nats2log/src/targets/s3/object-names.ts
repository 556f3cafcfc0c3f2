/** The refusals in a row after which the object is looked for. */
const REFUSALS = 3
/** More than the objects of two batches. */
const MOST = 10_000
/** The statuses of a PUT that may mean that the object is there and the key may not replace it. */
const REFUSED: ReadonlySet<number> = new Set([403, 409, 412])

type Name = { readonly refusals: number; readonly others: number }

/**
 * The names of objects that S3 refused. A key may have the right to make objects and none to replace them: once the
 * answer to a stored object is lost, each repeat under its name is refused, and all later records would wait.
 */
export class ObjectNames {
  readonly #refused = new Map<string, Name>()

  /** Returns the name to use in place of a first one that was given up. */
  nameFor(first: string): string {
    const { others = 0 } = this.#refused.get(first) ?? {}
    return others === 0 ? first : `${first}-${others}`
  }

  /** Notes the status of a PUT; returns whether it is time to look for the object. */
  answered(first: string, status: number): boolean {
    const { refusals = 0, others = 0 } = this.#refused.get(first) ?? {}
    if (!REFUSED.has(status)) return false
    this.#refused.delete(first)
    this.#refused.set(first, { refusals: refusals + 1, others })
    const [oldest] = this.#refused.keys()
    if (this.#refused.size > MOST && oldest !== undefined) this.#refused.delete(oldest)
    return (refusals + 1) % REFUSALS === 0
  }

  /** Gives the present name up, since nobody can tell whether the object is there. */
  giveUp(first: string): void {
    const { refusals = 0, others = 0 } = this.#refused.get(first) ?? {}
    this.#refused.set(first, { refusals, others: others + 1 })
  }

  /** Forgets a name whose object is stored. */
  stored(first: string): void {
    this.#refused.delete(first)
  }
}
