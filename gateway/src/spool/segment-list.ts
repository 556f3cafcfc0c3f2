import { type FrameSource, frameSourceBytes } from './frame.ts'
import type { RouterShares } from './router-shares.ts'
import type { Segment } from './segment-writer.ts'

/**
 * The most routers that are counted in a segment; the bytes of the smallest others count for no router. A router that
 * fills a quarter of the spool is among the largest of most segments.
 */
const MAX_ROUTERS = 64

/**
 * The segments of a spool in the order of reading, with the bytes of the routers in them. A router's bytes in a segment
 * count until the segment is removed. Those of earlier processes are unnamed, since a frame doesn't name its router.
 */
export class SegmentList {
  readonly #shares: RouterShares
  #segments: readonly Segment[] = []
  #bytes = 0
  readonly #routers = new Map<Segment, Map<string, number>>()
  /** The segments of earlier processes. */
  readonly #left = new Set<Segment>()

  constructor(shares: RouterShares) {
    this.#shares = shares
  }

  get first(): Segment | undefined {
    return this.#segments[0]
  }

  /** The bytes that are unread: a sum that is kept, since it is asked for with each record that is journalled or waits. */
  get bytes(): number {
    return this.#bytes
  }

  /** The number of unread records. */
  get records(): number {
    return this.#segments.reduce((sum, { records, readRecords }) => sum + records - readRecords, 0)
  }

  get oldestMs(): number | undefined {
    return this.#segments.find(({ bytes, readBytes }) => bytes > readBytes)?.oldestMs
  }

  has(segment: Segment): boolean {
    return this.#segments.includes(segment)
  }

  add(segment: Segment): void {
    this.#segments = [...this.#segments, segment]
    this.#bytes += segment.bytes - segment.readBytes
  }

  /** Adds the segments of earlier processes. */
  addLeft(segments: readonly Segment[]): void {
    this.#segments = [...this.#segments, ...segments]
    for (const segment of segments) {
      this.#bytes += segment.bytes - segment.readBytes
      this.#left.add(segment)
      this.#shares.countUnnamed(segment.bytes)
    }
  }

  /** Counts records that were written to a segment. */
  count(segment: Segment, records: readonly FrameSource[]): void {
    const routers = this.#routers.get(segment) ?? new Map<string, number>()
    this.#routers.set(segment, routers)
    for (const record of records) {
      const { router } = record
      if (!routers.has(router) && routers.size >= MAX_ROUTERS) this.#dropSmallest(routers)
      const bytes = frameSourceBytes(record)
      routers.set(router, (routers.get(router) ?? 0) + bytes)
      this.#shares.count(router, bytes)
      this.#bytes += bytes
    }
  }

  /** Notes that a segment was read up to `end`. */
  markRead(segment: Segment, end: number, records: number): void {
    if (this.has(segment)) this.#bytes -= end - segment.readBytes
    segment.readBytes = end
    segment.readRecords += records
  }

  /** Removes the segments for which `isGone` returns true, and returns them. */
  remove(isGone: (segment: Segment) => boolean): readonly Segment[] {
    const gone = this.#segments.filter(isGone)
    this.#segments = this.#segments.filter((segment) => !gone.includes(segment))
    for (const segment of gone) {
      this.#bytes -= segment.bytes - segment.readBytes
      for (const [router, bytes] of this.#routers.get(segment) ?? []) this.#shares.count(router, -bytes)
      this.#routers.delete(segment)
      if (this.#left.delete(segment)) this.#shares.countUnnamed(-segment.bytes)
    }
    return gone
  }

  #dropSmallest(routers: Map<string, number>): void {
    const [smallest] = [...routers].sort(([, one], [, other]) => one - other)
    if (smallest === undefined) return
    const [router, bytes] = smallest
    routers.delete(router)
    this.#shares.count(router, -bytes)
  }
}
