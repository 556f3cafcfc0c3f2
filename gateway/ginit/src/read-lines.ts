import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { OutputPace } from './output.ts'

export type LineReader = {
  /** Called with each line once it is read. */
  readonly onRead?: (text: string) => void
  /** Called with each line once the pace lets it pass, in order. */
  readonly onLine: (text: string) => void
  readonly pace: OutputPace
  /** Resolves once the writer has ended: its last lines have no place to wait. */
  readonly ended?: Promise<unknown>
}

const LONGEST_LINE = 1_048_576
/**
 * The most lines that are read while the supervisor's output is full, and wait, and their characters. A start is seen
 * healthy meanwhile, even if nobody reads the supervisor's output.
 */
const MOST_WAITING = { lines: 4_096, characters: 256 * 1024 }
/**
 * The lines and characters after which the other lines pass in a later turn. A service that writes empty lines as fast
 * as they are read would otherwise keep the supervisor from signals and from other services.
 */
const TURN = { lines: 1_024, characters: 64 * 1024 }

/**
 * Reads the lines of a stream, including an unfinished last line; a line of more than 1 Mi characters comes in pieces.
 * The stream pauses while many lines wait, so that its writer waits, too. After the end of the writer or the stream the
 * pace no longer counts. Resolves once all lines of the closed stream have passed.
 */
export function readLines(stream: Readable, { onRead, onLine, pace, ended }: LineReader): Promise<void> {
  const passed = Promise.withResolvers<void>()
  const splitter = createSplitter()
  const queue = createQueue()
  let [isWaiting, isClosed, isEnding] = [false, false, false]
  const add = (lines: readonly string[]) => {
    if (onRead !== undefined) for (const line of lines) onRead(line)
    queue.add(lines)
  }
  const passTurn = () => {
    isWaiting = false
    const left = { ...TURN }
    while (!queue.isEmpty && left.lines > 0 && left.characters > 0 && (isEnding || !pace.isFull)) {
      const line = queue.take()
      left.lines -= 1
      left.characters -= line.length
      onLine(line)
    }
    if (!queue.isEmpty) wait()
    else if (isClosed) passed.resolve()
    else if (stream.isPaused()) stream.resume()
  }
  const wait = () => {
    isWaiting = true
    if (pace.isFull && !isEnding) {
      pace.whenFree(passTurn)
      if (queue.isFull) stream.pause()
      return
    }
    stream.pause()
    setImmediate(passTurn)
  }
  stream.on('data', (chunk: Buffer) => {
    add(splitter.split(chunk))
    if (!isWaiting) passTurn()
    else if (queue.isFull) stream.pause()
  })
  // Without a listener the error of one service's output would end all services. The stream closes after it.
  stream.on('error', () => undefined)
  stream.on('close', () => {
    add(splitter.end())
    isClosed = true
    isEnding = true
    passTurn()
  })
  // Never rejects.
  void ended?.then(() => {
    isEnding = true
    passTurn()
  })
  return passed.promise
}

/** Splits chunks into lines; a character or line may go on in the next chunk. */
function createSplitter() {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const takeRest = (): string => {
    const line = rest
    rest = ''
    return line
  }
  const split = (text: string): readonly string[] => {
    const [first = '', ...others] = text.split('\n')
    const parts = [rest + first, ...others]
    rest = parts.pop() ?? ''
    const lines = parts.map((part) => (part.endsWith('\r') ? part.slice(0, -1) : part))
    return rest.length > LONGEST_LINE ? [...lines, takeRest()] : lines
  }
  return {
    split: (chunk: Buffer) => split(decoder.write(chunk)),
    end: (): readonly string[] => {
      const lines = split(decoder.end())
      return rest === '' ? lines : [...lines, takeRest()]
    },
  }
}

/** The lines that wait, in order. */
function createQueue() {
  let lines: readonly string[] = []
  let first = 0
  let characters = 0
  return {
    get isEmpty() {
      return first === lines.length
    },
    get isFull() {
      return characters >= MOST_WAITING.characters || lines.length - first >= MOST_WAITING.lines
    },
    add(more: readonly string[]): void {
      lines = first === lines.length ? more : [...lines.slice(first), ...more]
      first = 0
      for (const line of more) characters += line.length + 1
    },
    take(): string {
      const line = lines[first] ?? ''
      first += 1
      characters -= line.length + 1
      return line
    },
  }
}
