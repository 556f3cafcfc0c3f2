import { FairQueue } from '../work/fair-queue.ts'

/** An answer that took this long, in milliseconds, is late. */
const LATE_MS = 1_000
/** The most names whose pace is known, and their most characters: DNS has no longer ones. */
const MOST_KNOWN = 10_000
const LONGEST_NAME = 255
/** The most questions in a line. In its second half a domain gets a place only while none of its names is in the line. */
const MOST_IN_LINE = 4_000
/** The questions that the system takes at a time: libuv keeps the other threads for other work. */
const MOST_ASKED = 2

/** The ends of names that have many owners. */
const SHARED = /\.svc\.cluster\.local$|\.(?:ac|co|com|edu|gov|ne|net|or|org)\.[a-z]{2}$/

type Pace = 'prompt' | 'unknown' | 'slow'
type Line<Question extends object> = { readonly questions: FairQueue<Question>; count: number }
/** An answer of the system: the time that it took, and whether it has addresses. */
type Outcome = { readonly ms: number; readonly isFailure: boolean }

/**
 * The questions for names that wait for the system. A question that no name server answers takes ten seconds, and the
 * system takes few at a time. So one of its places is kept for prompt names: the names that were answered soon, or late
 * only once. The other place takes names that nobody asked for so far and slow names alternately, and a prompt name where
 * neither waits. The domains take turns, since one may have thousands of names. Of a domain's prompt names the system has
 * one at a time; they don't wait for its unknown and slow names, since the domain may have other owners.
 *
 * A question stays in its line when its callers have left: a name whose callers leave before its turn would never be asked.
 */
export class LookupLines<Question extends { readonly hostname: string }> {
  readonly #lines: Readonly<Record<Pace, Line<Question>>> = { prompt: line(), unknown: line(), slow: line() }
  /** The names that were answered last stand last. A `late` name got one late answer, with addresses, and is prompt still. */
  readonly #known = new Map<string, 'prompt' | 'late' | 'slow'>()
  /** The questions that the system has. */
  readonly #asked = new Map<Question, Pace>()
  #isTurnOfSlow = false

  /** Returns false where the line of the question is full. */
  add(question: Question): boolean {
    const domain = domainOf(question.hostname)
    const line = this.#lines[this.#paceOf(question.hostname)]
    const most = line.questions.has(domain) ? MOST_IN_LINE / 2 : MOST_IN_LINE
    if (line.count >= most) return false
    line.questions.add(domain, question)
    line.count += 1
    return true
  }

  /** Returns the question that the system gets next, until `end`; undefined while no question may be asked. */
  take(): Question | undefined {
    if (this.#asked.size >= MOST_ASKED) return undefined
    const isOtherAsked = [...this.#asked.values()].some((pace) => pace !== 'prompt')
    return (isOtherAsked ? undefined : this.#takeOther()) ?? this.#takeOf('prompt')
  }

  /** Notes that the system has answered a question. */
  end(question: Question, { ms, isFailure }: Outcome): void {
    const { hostname } = question
    this.#asked.delete(question)
    const before = this.#known.get(hostname) ?? 'prompt'
    this.#known.delete(hostname)
    if (hostname.length > LONGEST_NAME) return
    // A lost packet, or a stall of this process, makes one answer late.
    const lateAs = isFailure || before !== 'prompt' ? 'slow' : 'late'
    this.#known.set(hostname, ms < LATE_MS ? 'prompt' : lateAs)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest)
  }

  #takeOther(): Question | undefined {
    const [first, second] = this.#isTurnOfSlow ? (['slow', 'unknown'] as const) : (['unknown', 'slow'] as const)
    return this.#takeOf(first) ?? this.#takeOf(second)
  }

  #takeOf(pace: Pace): Question | undefined {
    const line = this.#lines[pace]
    const question = line.questions.takeFirst((domain) => pace !== 'prompt' || !this.#isPromptAsked(domain))
    if (question === undefined) return undefined
    line.count -= 1
    this.#asked.set(question, pace)
    if (pace !== 'prompt') this.#isTurnOfSlow = pace === 'unknown'
    return question
  }

  /** Returns whether the system has a question for a prompt name of the domain. */
  #isPromptAsked(domain: string): boolean {
    for (const [{ hostname }, pace] of this.#asked) if (pace === 'prompt' && domainOf(hostname) === domain) return true
    return false
  }

  #paceOf(hostname: string): Pace {
    const known = this.#known.get(hostname)
    return known === 'late' ? 'prompt' : (known ?? 'unknown')
  }
}

function line<Question extends object>(): Line<Question> {
  return { questions: new FairQueue(), count: 0 }
}

/**
 * Returns the last labels of a name, by which the owners of names are told apart: two; three below a domain that many
 * owners share, such as `co.uk`; of a Service also its namespace.
 */
function domainOf(hostname: string): string {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  const shared = SHARED.exec(name)?.[0] ?? ''
  const labels = shared === '' ? 2 : 1
  const own = name.slice(0, name.length - shared.length)
  return own.split('.').slice(-labels).join('.') + shared
}
