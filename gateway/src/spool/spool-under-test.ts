import { Journal } from '@llm-gateway/test/fake/journal'
import type { FrameSource } from './frame.ts'
import { Spool, type SpoolOptions } from './spool.ts'

export type SpoolLine = {
  readonly level: 'INFO' | 'WARN'
  readonly msg: string
  readonly fields: Record<string, unknown>
}

export type SpoolUnderTest = {
  readonly spool: Spool
  readonly lines: Journal<SpoolLine>
  /** Number and reason, such as `1 damaged`. */
  readonly lost: Journal<string>
  readonly lostBefore: Journal<ReadonlyMap<string, number>>
  [Symbol.asyncDispose](): Promise<void>
}

/** Makes a spool and waits for its first attempt to open the folder. */
export async function spoolIn(directory: string, options: Partial<SpoolOptions> = {}): Promise<SpoolUnderTest> {
  const lines = new Journal<SpoolLine>()
  const lost = new Journal<string>()
  const lostBefore = new Journal<ReadonlyMap<string, number>>()
  const logAs = (level: SpoolLine['level']) => (fields: object, msg: string) =>
    lines.add({ level, msg, fields: { ...fields } })
  const spool = new Spool({
    directory,
    maxBytes: 1024 * 1024 * 1024,
    logger: { info: logAs('INFO'), warn: logAs('WARN') },
    onLost: (count, reason) => lost.add(`${count} ${reason}`),
    onEarlierLosses: (counts) => lostBefore.add(new Map(counts)),
    onChange: () => undefined,
    retryMs: 20,
    waitMs: 2_000,
    ...options,
  })
  await spool.opened
  return { spool, lines, lost, lostBefore, [Symbol.asyncDispose]: () => spool.close() }
}

/** A record `id-<serial>` in pieces, with `size` bytes beside the serial. */
export function source(serial: number, size = 10, isIncomplete = false, router = '/a/'): FrameSource {
  const pieces = [`{"serial":${serial},"filler":"`, 'x'.repeat(size), '"}'].map((text) => Buffer.from(text))
  return { id: `id-${serial}`, router, pieces, isIncomplete, createdMs: 1_700_000_000_000 + serial }
}

/** Reads and removes all records; returns their serials in order. */
export async function readAll(spool: Spool): Promise<readonly number[]> {
  const serials: number[] = []
  for (let batch = await spool.read(); batch !== undefined; batch = await spool.read()) {
    for (const { id, json } of batch.records) {
      const { serial } = JSON.parse(json.toString())
      if (id !== `id-${serial}`) throw new Error(`${id} holds ${serial}`)
      serials.push(serial)
    }
    await spool.remove(batch)
  }
  return serials
}
