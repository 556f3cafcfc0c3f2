import { createThread, type Logger } from '@llm-gateway/sdk'
import { PIECE_LENGTH, pieces } from './cut-text.ts'
import { type Entity, isEntity, type Recognizer } from './entity.ts'

export type ThreadRecognizerOptions = {
  readonly logger: Logger
  /** The limit for one piece of a text. */
  readonly timeoutMs: number
}

/**
 * Makes a recognizer in a thread that the first text starts: the tagger takes about 10 ms for a thousand characters.
 */
export function createThreadRecognizer({ logger, timeoutMs }: ThreadRecognizerOptions): Recognizer {
  const program = new URL('./recognizer-thread.ts', import.meta.url)
  const thread = createThread({ program, name: 'recognizer', logger })
  const recognizePiece = async (piece: string, limitMs: number): Promise<readonly Entity[]> => {
    // All texts have the same weight: where short texts always wait, the pieces of another router's text would never be searched.
    const answer = await thread.ask(piece, { weight: 1, timeoutMs: Math.min(limitMs, timeoutMs) })
    return Array.isArray(answer) ? answer.filter(isEntity) : []
  }
  return {
    entities: async (text, limitMs = Number.POSITIVE_INFINITY) => {
      const end = performance.now() + limitMs
      const found: Entity[] = []
      for (const piece of pieces(text, PIECE_LENGTH)) {
        found.push(...(await recognizePiece(piece, Math.max(0, end - performance.now()))))
      }
      return found
    },
    ready: () => thread.ready,
    close: () => thread.close(),
  }
}
