import type { AnswerBounds } from './read-answer.ts'

/** 5,000 usual Routers are ten pages of at most this length. */
const MOST_OBJECTS = 500
/** A page is in memory as a whole, and a value takes more there than its characters. Usual pages have a megabyte. */
const PAGE: AnswerBounds = { mostBytes: 2 * 1024 * 1024, mostValues: 100_000 }
/** An object alone may be as long as etcd's limit allows, and its JSON is longer. */
const ONE_OBJECT: AnswerBounds = { mostBytes: 16 * 1024 * 1024 }
/** The bounds of a list in one piece, which is tried where the server forgets lists between two pages. */
export const WHOLE_LIST: AnswerBounds = { mostBytes: 16 * 1024 * 1024 }
/** Pages in a row that fit before a page may have more objects. Each attempt that fails costs a page. */
const FITTING = 8

/**
 * The number of objects for which a page is asked. The API server bounds pages by their number of objects only, and
 * one namespace's Routers may have 1.3 MiB each: 500 of them are longer than the longest string.
 */
export class PageSize {
  #objects = MOST_OBJECTS
  #fitted = 0

  get objects(): number {
    return this.#objects
  }

  get bounds(): AnswerBounds {
    return this.#objects === 1 ? ONE_OBJECT : PAGE
  }

  /** A page was within its bounds. */
  fitted(): void {
    this.#fitted += 1
    if (this.#fitted < FITTING) return
    this.#fitted = 0
    this.#objects = Math.min(MOST_OBJECTS, this.#objects * 2)
  }

  /** A page was too long. Returns false where it had only one object. */
  shrink(): boolean {
    this.#fitted = 0
    if (this.#objects === 1) return false
    this.#objects = Math.floor(this.#objects / 2)
    return true
  }
}
