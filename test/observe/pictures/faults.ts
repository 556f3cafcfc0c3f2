import { setTimeout as pause } from 'node:timers/promises'
import { jsonAnswer } from '../../fake/llm-answer.ts'
import type { ObservedScene } from '../observed-scene.ts'

export type Fault = {
  begin(scene: ObservedScene): Promise<void> | void
  mend(scene: ObservedScene): Promise<void> | void
}

const SLOW_MS = 400

/** The faults in the pictures, by the names of the files. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  nothing: { begin: () => undefined, mend: () => undefined },
  /** Nothing is broken; there is an operator. */
  operator: { begin: () => undefined, mend: () => undefined },
  'slow-processor': {
    begin: ({ audit }) =>
      audit.reply(async () => {
        await pause(SLOW_MS)
        return { audit: true }
      }),
    mend: ({ audit }) => audit.reply(() => ({ audit: true })),
  },
  'failing-router': {
    begin: ({ searchLlm }) =>
      searchLlm.respond(() => jsonAnswer({ error: { message: 'out of order' } }, { status: 500 })),
    mend: ({ searchLlm }) => searchLlm.respond(undefined),
  },
  'lagging-pod': {
    begin: async ({ gateways: [first] }) => {
      await first.edit({ log_unauthorized: true })
    },
    mend: async ({ gateways: [, second] }) => {
      await second.edit({ log_unauthorized: true })
    },
  },
  'sink-behind': {
    begin: ({ sinkTarget }) => sinkTarget.respond(() => jsonAnswer({}, { status: 503 })),
    mend: ({ sinkTarget }) => sinkTarget.respond(() => jsonAnswer({})),
  },
}
