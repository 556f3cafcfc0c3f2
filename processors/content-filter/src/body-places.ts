/** The bodies of a router with the model at the same time: a short one of the router goes on beside a long one. */
const PLACES = 2

type Flow = { busy: number; readonly waiting: (() => void)[] }

/**
 * Gives each router places for its bodies at the model. A body asks for one window at a time, so the routers take turns
 * at the model, however many bodies a router sends, and a router's bodies end one by one.
 */
export class BodyPlaces {
  /** A router without a body has no entry. */
  readonly #flows = new Map<string, Flow>()

  /** Calls `work` once the router has a place, and gives the place back after it. */
  async run<Result>(router: string, work: () => Promise<Result>): Promise<Result> {
    const flow = this.#flows.get(router) ?? { busy: 0, waiting: [] }
    this.#flows.set(router, flow)
    if (flow.busy < PLACES) flow.busy += 1
    else await new Promise<void>((resolve) => flow.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = flow.waiting.shift()
      // The place goes to the next body.
      if (next === undefined) flow.busy -= 1
      else next()
      if (flow.busy === 0) this.#flows.delete(router)
    }
  }
}
