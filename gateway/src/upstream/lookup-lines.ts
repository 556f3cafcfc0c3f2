import { FairQueue } from '../work/fair-queue.ts'

/** A name whose last answer took this long, in milliseconds, is slow. */
const SLOW_MS = 1_000
/** The most names of which it is known whether they are slow, and their most characters: DNS has no longer ones. */
const MOST_KNOWN = 10_000
const LONGEST_NAME = 255
/** The most questions in a line. In its second half a domain gets a place only while none of its names is in the line. */
const MOST_IN_LINE = 4_000
/** The questions that the system takes at a time: libuv keeps the other threads for other work. */
const MOST_ASKED = 2

type Pace = 'prompt' | 'unknown' | 'slow'
type Line<Question extends object> = { readonly questions: FairQueue<Question>; count: number }

/**
 * The questions for names that wait for the system. A question that no name server answers takes ten seconds, and the
 * system takes few at a time. So one place of the system is kept for names that were answered soon last time, and a
 * domain has one place: domains of LLM APIs that nobody answers hold up each other, and the first questions for other
 * names. The domains take turns, since one may have thousands of names.
 */
export class LookupLines<Question extends { readonly hostname: string }> {
  readonly #lines: Readonly<Record<Pace, Line<Question>>> = { prompt: line(), unknown: line(), slow: line() }
  /** True for slow names; the names that were answered last stand last. */
  readonly #known = new Map<string, boolean>()
  /** The domains of the questions that the system has; true for prompt names. */
  readonly #asked = new Map<string, boolean>()

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
    const prompt = this.#takeOf('prompt')
    if (prompt !== undefined || [...this.#asked.values()].includes(false)) return prompt
    return this.#takeOf('unknown') ?? this.#takeOf('slow')
  }

  /** Notes that the system has answered a question after `ms` milliseconds. */
  end({ hostname }: Question, ms: number): void {
    this.#asked.delete(domainOf(hostname))
    this.#known.delete(hostname)
    if (hostname.length > LONGEST_NAME) return
    this.#known.set(hostname, ms >= SLOW_MS)
    const [oldest] = this.#known.keys()
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest)
  }

  #takeOf(pace: Pace): Question | undefined {
    const line = this.#lines[pace]
    const question = line.questions.takeFirst((domain) => !this.#asked.has(domain))
    if (question === undefined) return undefined
    line.count -= 1
    this.#asked.set(domainOf(question.hostname), pace === 'prompt')
    return question
  }

  #paceOf(hostname: string): Pace {
    const isSlow = this.#known.get(hostname)
    if (isSlow === undefined) return 'unknown'
    return isSlow ? 'slow' : 'prompt'
  }
}

function line<Question extends object>(): Line<Question> {
  return { questions: new FairQueue(), count: 0 }
}

/** Returns the last two labels of a name, by which the owners of names are told apart. */
function domainOf(hostname: string): string {
  const name = hostname.toLowerCase().replace(/\.$/, '')
  return name.slice(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1)
}
