// Counts the records on the bus by the tag and serial in their payload, in a process of its own. `node tally.ts PORT TOKEN SUBJECT`
import { subscribeWire } from '../bench/nats-wire.ts'
import { onOrder, tell } from '../bench/orders.ts'
import type { TallyOrder, TallyReport } from './side-processes.ts'

/** A payload's first member is its name: a tag and nine digits. */
const NAME = /"user":"([\w-]+)-(\d{9})"/
/** The request's payload begins behind its headers. */
const LOOKED_AT_BYTES = 131_072

type Seen = { readonly serials: Set<number>; repeats: number }

const [port, token = '', subject = ''] = process.argv.slice(2)
const tags = new Map<string, Seen>()
let total = 0
let lostConnection = false

function take(payload: Buffer): void {
  total += 1
  const [, tag, serial] = NAME.exec(payload.toString('latin1', 0, LOOKED_AT_BYTES)) ?? []
  if (tag === undefined) return
  const seen = tags.get(tag) ?? { serials: new Set(), repeats: 0 }
  tags.set(tag, seen)
  if (seen.serials.has(Number(serial))) seen.repeats += 1
  seen.serials.add(Number(serial))
}

await subscribeWire({
  port: Number(port),
  token,
  subject,
  take: ({ payload }) => take(payload),
  failed: () => {
    lostConnection = true
  },
})

onOrder<TallyOrder>(({ tag, forget }) => {
  const seen = tags.get(tag)
  const report: TallyReport = { came: seen?.serials.size ?? 0, twice: seen?.repeats ?? 0, total, lostConnection }
  if (forget === true) tags.delete(tag)
  tell(report)
})
tell({ subscribed: true })
