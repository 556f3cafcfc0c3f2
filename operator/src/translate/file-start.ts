import type { WrittenEntry } from './processors/row-entries.ts'
import type { Steps } from './steps.ts'

type Phase = { readonly processors: readonly (readonly WrittenEntry[])[] }

/** gl_config.json without its routers. */
export type FileSettings = {
  readonly request?: Phase
  readonly response?: Phase
  readonly [setting: string]: unknown
}

/** A text of the file, or a list of paths. */
type Piece = string | readonly string[]

/**
 * The text of gl_config.json before its routers. Rows that apply to all Routers share one list of paths: with the lists
 * of 1,000 Processors the text could be larger than a string may be, so that its length is counted before it is made.
 * The paths that only the live file has in the lists of kept entries are always written: the next translation takes them
 * from this file, so that calls of a Router that was left out of them could bypass the processor once the Router has room
 * again.
 */
export class FileStart {
  readonly #pieces: readonly Piece[]
  /** List → the number of its places in the file. */
  readonly #lists = new Map<readonly string[], number>()
  /** List of a kept entry → the paths that are always written there. */
  readonly #kept: ReadonlyMap<readonly string[], ReadonlySet<string>>
  #fixed = 0

  constructor(settings: FileSettings) {
    this.#pieces = piecesOf(settings)
    this.#kept = new Map(keptLists(settings))
    for (const piece of this.#pieces) {
      if (typeof piece === 'string') this.#fixed += piece.length
      else this.#lists.set(piece, (this.#lists.get(piece) ?? 0) + 1)
    }
  }

  /** Returns path → the characters that it takes in all lists. */
  *listed(): Steps<ReadonlyMap<string, number>> {
    const listed = new Map<string, number>()
    for (const [list, places] of this.#lists) {
      for (const path of list) listed.set(path, (listed.get(path) ?? 0) + places * charactersOf(path))
      yield
    }
    return listed
  }

  /** Counts the characters of the text without the paths of `leftOut`. */
  *characters(leftOut: ReadonlySet<string>): Steps<number> {
    let sum = this.#fixed
    for (const [list, places] of this.#lists) {
      const own = this.#written(list, leftOut).reduce((characters, path) => characters + charactersOf(path), 0)
      sum += places * (own + '[]'.length)
      yield
    }
    return sum
  }

  /** Makes the text without the paths of `leftOut`. */
  *text(leftOut: ReadonlySet<string>): Steps<string> {
    const texts = new Map<readonly string[], string>()
    for (const list of this.#lists.keys()) {
      texts.set(list, JSON.stringify(this.#written(list, leftOut)))
      yield
    }
    return this.#pieces.map((piece) => (typeof piece === 'string' ? piece : texts.get(piece))).join('')
  }

  #written(list: readonly string[], leftOut: ReadonlySet<string>): readonly string[] {
    if (leftOut.size === 0) return list
    const kept = this.#kept.get(list)
    return list.filter((path) => !leftOut.has(path) || kept?.has(path) === true)
  }
}

/** Returns the characters of a path in a list: a path has none that JSON escapes. */
function charactersOf(path: string): number {
  return path.length + '"",'.length
}

/** Keeps the order of the settings: each change of the text is a reload of every gateway. */
function piecesOf(settings: FileSettings): readonly Piece[] {
  const { request, response } = settings
  const phases = new Map(Object.entries({ request, response }))
  const members = Object.entries(settings).flatMap(([name, value]): Piece[][] => {
    const phase = phases.get(name)
    if (phase !== undefined) return [['"', name, '":{"processors":[', ...rowPieces(phase), ']}']]
    return value === undefined ? [] : [[`${JSON.stringify(name)}:${JSON.stringify(value)}`]]
  })
  return ['{', ...members.flatMap((member) => [...member, ',']), '"routers":']
}

function rowPieces({ processors }: Phase): readonly Piece[] {
  return processors.flatMap((row, at) => [at === 0 ? '[' : ',[', ...row.flatMap(entryPieces), ']'])
}

type KeptList = readonly [list: readonly string[], kept: ReadonlySet<string>]

function keptLists({ request, response }: FileSettings): readonly KeptList[] {
  const entries = [request, response].flatMap((phase) => phase?.processors.flat() ?? [])
  return entries.flatMap(({ kept, routers = [], reroute_to = [] }): readonly KeptList[] =>
    kept === undefined
      ? []
      : [
          [routers, kept],
          [reroute_to, kept],
        ],
  )
}

function entryPieces({ routers, reroute_to, kept: _, ...own }: WrittenEntry, at: number): readonly Piece[] {
  const pieces: Piece[] = [`${at === 0 ? '' : ','}${JSON.stringify(own).slice(0, -'}'.length)}`]
  if (routers !== undefined) pieces.push(',"routers":', routers)
  if (reroute_to !== undefined) pieces.push(',"reroute_to":', reroute_to)
  return [...pieces, '}']
}
