import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Turns } from '@llm-gateway/sdk'
import { createMaskIndex, leetReadings } from './disguise.ts'
import { CUT_IN_TWO, compileLexicon, HALVES, type Lexicon, MASKABLE } from './lexicon/lexicon.ts'
import { createPieceReader } from './read-piece.ts'
import { rejoined } from './rejoin.ts'
import { highest, NO_SCORES, type Scorer } from './scores.ts'
import { createSpelling } from './spelling.ts'
import { windowScores } from './window-scores.ts'
import { wordWindows } from './word-windows.ts'

/** The length from which a row of letters may spell a word; shorter words would be found in every row. */
const MIN_SPELLED = 3

/** A thread of its own has no other work, but it has to notice that its scores are no longer wanted. */
const EACH_WINDOW: Turns = { isDue: true, nextTurn: () => nextTurn() }

/**
 * Makes the scorer that needs no model: words, phrases and their disguises. After each window it asks whether its turn
 * of the event loop is used up.
 */
export function createBuiltInScorer(lexicon: Lexicon = compileLexicon()): Scorer {
  const read = createPieceReader(createSpelling(lexicon.vocabulary, createMaskIndex(MASKABLE)))
  const spelled = [...lexicon.vocabulary].filter((word) => word.length >= MIN_SPELLED)
  const joinable = {
    spelled: new Set(spelled),
    beginnings: new Set(spelled.map((word) => word.slice(0, MIN_SPELLED))),
    cut: CUT_IN_TWO,
    halves: HALVES,
    letters: (row: string) => leetReadings(row)[1] ?? row,
  }
  return {
    score: async (texts, signal, turns = EACH_WINDOW) => {
      let scores = NO_SCORES
      for (const window of wordWindows(texts, read)) {
        if (window !== undefined) scores = highest(scores, windowScores(rejoined(window, joinable), lexicon))
        if (turns.isDue) await turns.nextTurn()
        signal.throwIfAborted()
      }
      return scores
    },
    close: async () => undefined,
  }
}
