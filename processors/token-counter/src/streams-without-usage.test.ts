import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CALL_WITH_USAGE, countsOfAnswer, streamWithoutUsage, withEstimatedPrompts } from './streams-without-usage.ts'
import { sumOfCounts } from './token-share.ts'
import type { TokenCounts } from './usage.ts'

type Event = { readonly counts: TokenCounts; readonly prompt: number }

const promptOf = (counts: Iterable<TokenCounts>): number =>
  withEstimatedPrompts(sumOfCounts(counts)).get('prompt_tokens') ?? 0

/** Makes a generator of numbers below 1, the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Returns the events of one call in order; `prompt`: the really used tokens that each event makes known. */
function eventsOf(random: () => number, serverTellsUnasked: boolean, mayFail: boolean): readonly Event[] {
  const prompt = 1 + Math.floor(random() * 1_000)
  const isSilent = random() < 0.5
  const fails = mayFail && random() < 0.3
  const tells = !isSilent || serverTellsUnasked
  const request = isSilent ? { counts: streamWithoutUsage(prompt), prompt } : { counts: CALL_WITH_USAGE, prompt: 0 }
  if (fails || !tells) return [request]
  const reported: TokenCounts = new Map([['prompt_tokens', prompt]])
  return [request, { counts: sumOfCounts([reported, countsOfAnswer(reported)]), prompt: isSilent ? 0 : prompt }]
}

/** Yields the next event of a random call until none is left. */
function* interleaved(calls: readonly (readonly Event[])[], random: () => number): Generator<Event> {
  const open = calls.map((events) => [...events])
  while (open.length > 0) {
    const index = Math.floor(random() * open.length)
    const event = open[index]?.shift()
    if (event === undefined) open.splice(index, 1)
    else yield event
  }
}

for (const serverTellsUnasked of [true, false]) {
  const server = serverTellsUnasked ? 'a server that reports usage unasked' : 'a server that reports usage when asked'
  test(`100 mixes of calls to ${server}: in the end each prompt counts once`, () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const random = seeded(seed)
      const calls = Array.from({ length: 40 }, () => eventsOf(random, serverTellsUnasked, false))
      const events = [...interleaved(calls, random)]
      const used = events.reduce((sum, { prompt }) => sum + prompt, 0)
      assert.equal(promptOf(events.map(({ counts }) => counts)), used, `seed ${seed}`)
    }
  })
}

test('100 mixes of calls of one length, some of which fail: at no time too few prompts count', () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const random = seeded(seed)
    const calls = Array.from({ length: 40 }, () => eventsOf(random, seed % 2 === 0, true).map(ofOneLength))
    const seen: Event[] = []
    for (const event of interleaved(calls, random)) {
      seen.push(event)
      const used = seen.reduce((sum, { prompt }) => sum + prompt, 0)
      assert.ok(promptOf(seen.map(({ counts }) => counts)) >= used, `seed ${seed}`)
    }
  }
})

/** Sets all prompts to one length: with different lengths the mean that is taken back may exceed the real prompt. */
function ofOneLength({ counts, prompt }: Event): Event {
  const same = [...counts].map(([field, count]) => [field, field.includes('prompt_tokens') ? 10 : count] as const)
  return { counts: new Map(same), prompt: Math.min(prompt, 10) && 10 }
}
