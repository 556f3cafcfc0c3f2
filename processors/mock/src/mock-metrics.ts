import { Counter, Gauge, type Registry } from 'prom-client'
import type { MockCounts } from './answer-message.ts'
import type { Recordings } from './recordings.ts'

/** Makes the mock's own metrics: answers seen, recordings kept, replays. */
export function createMockMetrics(registry: Registry, recordings: Recordings): MockCounts {
  const registers = [registry]
  const recorded = new Counter({
    name: 'llm_mock_recordings_total',
    help: 'Answers of LLM APIs, by outcome of their recording',
    labelNames: ['outcome'],
    registers,
  })
  const replays = new Counter({
    name: 'llm_mock_replays_total',
    help: 'Calls to replay routers that got a recording',
    registers,
  })
  const empties = new Counter({
    name: 'llm_mock_empties_total',
    help: 'Calls to replay routers for which no recording exists',
    registers,
  })
  gauge(registry, 'llm_mock_kept_recordings', 'Recordings that are kept', () => recordings.count)
  gauge(registry, 'llm_mock_kept_bytes', 'Bytes of the recordings that are kept', () => recordings.bytes)
  return {
    recording: (outcome) => recorded.inc({ outcome: outcome.replaceAll(' ', '_') }),
    replay: () => replays.inc(),
    empty: () => empties.inc(),
  }
}

function gauge(registry: Registry, name: string, help: string, value: () => number): void {
  const shown: Gauge = new Gauge({ name, help, registers: [registry], collect: () => shown.set(value()) })
}
