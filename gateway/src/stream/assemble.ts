import { TurnBudget } from '../work/turn-budget.ts'
import { StreamReader } from './stream-reader.ts'

/** The completed message of a collected event stream; undefined where it makes none, or one beyond bounds. */
export function assembleStream(text: string): unknown | undefined {
  const reader = new StreamReader(new TurnBudget())
  reader.add(Buffer.from(text))
  const outcome = reader.finish()
  return outcome.kind === 'message' ? JSON.parse(outcome.json.toString()) : undefined
}
