import type { Source } from '../model/snapshot.ts'
import type { Steps } from '../translate/steps.ts'
import { crowdedOut, cutTo, type HeldSource, HeldSources } from './held-sources.ts'
import { type Reading, ReadingLane, type ReadSource } from './reading-lane.ts'
import type { SourceReference, WantedSource } from './wanted-sources.ts'

export type SourceWorld = {
  /** Returns the version that the watch brought last; undefined: it knows no such object. */
  readonly versionOf: (place: SourceReference) => string | undefined
  /** Returns the characters that a namespace may still have. */
  readonly charactersLeft: (namespace: string) => number
  readonly read: (one: ReadSource) => Promise<Reading>
  /** Called once sources have been read for which a pass didn't wait. */
  readonly readLate: () => void
}

/** The last reading of a source that isn't held for it. */
type Absence = {
  readonly kind: 'missing' | 'failed'
  readonly turn: number
}

/** The lane of the sources that the gateway itself and its Processors name. */
const AWAITED = ''
const MISSING: Source = { kind: 'missing' }
const FAILED: Source = { kind: 'failed' }
const PENDING: Source = { kind: 'pending' }

/** The Secrets and ConfigMaps of one gateway. Those of a namespace are read one behind the other, beside other namespaces. */
export class GatewaySources {
  readonly #world: SourceWorld
  readonly #held = new HeldSources()
  readonly #absent = new Map<string, Absence>()
  /**
   * Source whose last reading no pass was told of → the version that the watch had brought when the read began. Each
   * reading is told once before the next try: else passes without end follow reads that outlast them.
   */
  readonly #untold = new Map<string, string | undefined>()
  readonly #lanes = new Map<string, ReadingLane>()
  #wanted: ReadonlyMap<string, WantedSource> = new Map()
  #turn = 0

  constructor(world: SourceWorld) {
    this.#world = world
  }

  charactersOf(namespace: string): number {
    return this.#held.charactersOf(namespace)
  }

  /** Finds the sources that have to be read, and forgets those that aren't wanted any more. */
  *plan(wanted: ReadonlyMap<string, WantedSource>, turn: number): Steps<void> {
    this.#wanted = wanted
    this.#turn = turn
    for (const key of [...this.#held.keys, ...this.#absent.keys()]) {
      if (!wanted.has(key)) this.#forget(key)
      yield
    }
    for (const [name, lane] of this.#lanes) if (lane.isIdle) this.#lanes.delete(name)
    for (const [key, one] of wanted) {
      const lane = this.#lanes.get(laneNameOf(one))
      const read = lane?.readOf(key)
      const isDue = read === undefined ? this.#isDue(key, one, lane?.waits(key) === true) : this.#isOld(read, one)
      if (isDue) this.#openLane(one).add(key)
      yield
    }
  }

  /** Resolves once the sources are read without which nothing is decided. */
  async awaited(): Promise<void> {
    await this.#lanes.get(AWAITED)?.ended()
  }

  /** Resolves once all sources are read, or patience ends. */
  async inTime(patience: () => Promise<void>): Promise<void> {
    if (this.#lanes.size === 0) return
    const all = Promise.all([...this.#lanes.values()].map((lane) => lane.ended()))
    await Promise.race([all, patience()])
    // A failure behind the patience ends the reads of the lane, and the next pass begins them again.
    all.catch(() => undefined)
    for (const lane of this.#lanes.values()) lane.leave()
  }

  *results(): Steps<ReadonlyMap<string, Source>> {
    const sources = new Map<string, Source>()
    for (const [key, one] of this.#wanted) {
      sources.set(key, this.#resultOf(key, one))
      yield
    }
    return sources
  }

  close(): void {
    this.#wanted = new Map()
    for (const lane of this.#lanes.values()) lane.close()
  }

  #resultOf(key: string, one: WantedSource): Source {
    const lane = this.#lanes.get(laneNameOf(one))
    if (lane?.waits(key) === true || lane?.readOf(key) !== undefined) return PENDING
    this.#untold.delete(key)
    const absent = this.#absent.get(key)
    if (absent !== undefined) return absent.kind === 'missing' ? MISSING : FAILED
    const held = this.#held.get(key)
    if (held === undefined) return MISSING
    if (held.source.crowdedOut === true || areFew(held.keys, one.keys)) return held.source
    const cut = cutTo(one.keys, held)
    this.#held.put(key, one.place.namespace, cut)
    return cut.source
  }

  /** Returns whether a source is needed anew since its read began. Its answer may be older than that need. */
  #isOld({ turn, version }: ReadSource, { since, place }: WantedSource): boolean {
    return turn < since || version !== this.#world.versionOf(place)
  }

  /** @param isQueued True: an earlier pass found that it has to be read. */
  #isDue(key: string, { place, since, keys }: WantedSource, isQueued: boolean): boolean {
    const version = this.#world.versionOf(place)
    const isTold = !this.#untold.has(key)
    const isChanged = isTold || this.#untold.get(key) !== version
    const absent = this.#absent.get(key)
    if (absent?.kind === 'failed') return isTold && absent.turn < this.#turn
    if (absent !== undefined) return absent.turn < since || (version !== undefined && isChanged)
    const last = this.#held.get(key)
    // A read may be ahead of the watch, so the watch alone doesn't tell that a known source is gone.
    if (last === undefined) return version !== undefined || since >= this.#turn || isQueued
    const isNewest = last.resourceVersion === version || !isChanged
    const stands = last.turn >= since && isNewest && hasAll(last.keys, keys)
    if (!stands || last.source.crowdedOut !== true) return !stands
    // With fewer keys it may find room.
    return last.keys.size !== keys.size || last.needs <= this.#roomFor(key, place.namespace)
  }

  #openLane(one: WantedSource): ReadingLane {
    const name = laneNameOf(one)
    const lane =
      this.#lanes.get(name) ??
      new ReadingLane({
        next: (key) => this.#next(key),
        read: this.#world.read,
        keep: (read, reading) => this.#keep(read, reading),
        endedLate: this.#world.readLate,
      })
    this.#lanes.set(name, lane)
    return lane
  }

  #next(key: string): ReadSource | undefined {
    const one = this.#wanted.get(key)
    if (one === undefined || !this.#isDue(key, one, true)) return undefined
    const { place, keys, own } = one
    const last = this.#held.get(key)
    const toRead = last?.source.crowdedOut === true ? keys : withLast(keys, last?.keys)
    return { key, place, turn: this.#turn, version: this.#world.versionOf(place), keys, own, toRead }
  }

  #keep({ key, place, turn, version, keys, own }: ReadSource, reading: Reading): void {
    if (!this.#wanted.has(key)) return
    this.#untold.set(key, version)
    if (reading === 'missing' || reading === 'failed') {
      this.#absent.set(key, { kind: reading, turn })
      // The last reading of a source keeps its room until it is read again.
      if (reading === 'missing') this.#held.delete(key)
      return
    }
    this.#absent.delete(key)
    const room = this.#roomFor(key, place.namespace)
    const last = this.#held.get(key)
    const one = isUnchanged(reading, last) ? { ...last, turn } : reading
    // Keys that nobody names any more are the first to go.
    const least = one.needs <= room || one.keys.size === keys.size ? one : cutTo(keys, one)
    this.#held.put(key, place.namespace, least.needs <= room ? least : crowdedOut(least, own))
  }

  /** Returns the characters that a source may have. */
  #roomFor(key: string, namespace: string): number {
    return this.#world.charactersLeft(namespace) + (this.#held.get(key)?.characters ?? 0)
  }

  #forget(key: string): void {
    this.#held.delete(key)
    this.#absent.delete(key)
    this.#untold.delete(key)
  }
}

function laneNameOf({ awaited, place }: WantedSource): string {
  return awaited ? AWAITED : place.namespace
}

function hasAll(keys: ReadonlyMap<string, number>, wanted: ReadonlyMap<string, number>): boolean {
  for (const [key, most] of wanted) if ((keys.get(key) ?? -1) < most) return false
  return true
}

/** Returns whether a source has its last content and keys: verdicts on the object of the last reading stand then. */
function isUnchanged(now: HeldSource, last: HeldSource | undefined): last is HeldSource {
  if (last === undefined || last.source.crowdedOut === true || last.resourceVersion !== now.resourceVersion)
    return false
  return last.keys.size === now.keys.size && hasAll(last.keys, now.keys)
}

const SPARE_KEYS = 16

/** Returns whether keys that were asked for once may be held beside those that are named now. */
function areFew(held: ReadonlyMap<string, number>, wanted: ReadonlyMap<string, number>): boolean {
  return held.size <= 2 * wanted.size + SPARE_KEYS
}

/**
 * Adds the keys that were asked for last, as long as they aren't many more: where a source loses a key, all entries that
 * use it are made again.
 */
function withLast(
  wanted: ReadonlyMap<string, number>,
  last: ReadonlyMap<string, number> = new Map(),
): ReadonlyMap<string, number> {
  const both = new Map([...last, ...wanted])
  return areFew(both, wanted) ? both : wanted
}
