import { BURST, travelledUs } from './burst-answer.ts'
import { LoadConnection, type LoadTarget } from './load-connection.ts'
import type { RunResult } from './load-run.ts'
import { percentiles } from './percentiles.ts'

export type BurstPlan = { readonly target: LoadTarget; readonly seconds: number; nextSerial(): number }

/** A failed burst ends the run: its connections would no longer call together. */
const MOST_ERRORS = 1

/** Runs bursts for `seconds`: all connections call at one moment, and again when the last stream has ended. */
export async function runBursts({ target, seconds, nextSerial }: BurstPlan): Promise<RunResult> {
  const began = performance.now()
  const latency: number[] = []
  const firstByte: number[] = []
  const travel: number[] = []
  let errors = 0
  let left = 0
  let ended = (): void => undefined
  const watched = {
    ...target,
    took: (bytes: Buffer) => {
      for (const microseconds of travelledUs(bytes)) travel.push(microseconds / 1_000)
    },
  }
  const connections = Array.from({ length: BURST.streams }, () => {
    return new LoadConnection(watched, (_, result) => {
      if (result.ok) {
        latency.push(result.milliseconds)
        firstByte.push(result.millisecondsToFirstByte)
      } else errors += 1
      left -= 1
      if (left === 0) ended()
    })
  })
  while (performance.now() - began < seconds * 1_000 && errors < MOST_ERRORS) {
    left = connections.length
    const allEnded = new Promise<void>((resolve) => {
      ended = resolve
    })
    for (const connection of connections) connection.send(nextSerial(), performance.now())
    await allEnded
  }
  for (const connection of connections) connection.close()
  return {
    ok: latency.length,
    errors,
    seconds: (performance.now() - began) / 1_000,
    latency: percentiles(latency),
    firstByte: percentiles(firstByte),
    travel: percentiles(travel),
    waits: 0,
  }
}
