// Counts the records on the bus by the tag and serial in their payload: `node tally.ts PORT TOKEN SUBJECT`.
import { subscribeWire, type WireMessage } from '../bench/nats-wire.ts'
import { onParentMessage, sendToParent } from '../bench/parent-messages.ts'
import type { TallyOrder, TallyReport } from './side-processes.ts'

/** A payload's first member is its name: a tag and nine digits. */
const NAME = /"user":"([\w-]+)-(\d{9})"/
/** Bytes of a record that are searched: the request's payload comes after its headers. */
const LOOKED_AT_BYTES = 131_072

/** A record that the bus acknowledged late is sent again under its id, by which readers drop it. */
const MESSAGE_ID = /Nats-Msg-Id: ?(\S+)/i

type SeenRecords = { readonly idOf: Map<number, string>; repeats: number }

const [port, token = '', subject = ''] = process.argv.slice(2)
const tags = new Map<string, SeenRecords>()
let total = 0
let lostConnection = false

function countRecord({ payload, headers }: Pick<WireMessage, 'payload' | 'headers'>): void {
  total += 1
  const [, tag, serial] = NAME.exec(payload.toString('latin1', 0, LOOKED_AT_BYTES)) ?? []
  if (tag === undefined) return
  const [, id = ''] = MESSAGE_ID.exec(headers.toString('latin1')) ?? []
  const seen = tags.get(tag) ?? { idOf: new Map(), repeats: 0 }
  tags.set(tag, seen)
  const before = seen.idOf.get(Number(serial))
  if (before !== undefined && before !== id) seen.repeats += 1
  seen.idOf.set(Number(serial), id)
}

await subscribeWire({
  port: Number(port),
  token,
  subject,
  take: countRecord,
  failed: () => {
    lostConnection = true
  },
})

/** Returns the missing serials up to the one after the largest, since the last record may be missing. */
function missingSerials(idOf: ReadonlyMap<number, string>): TallyReport['missing'] {
  const serials = Array.from({ length: Math.max(0, ...idOf.keys()) + 1 }, (_, index) => index + 1)
  return serials
    .filter((serial) => !idOf.has(serial))
    .map((serial) => ({ serial, idBefore: idOf.get(serial - 1) ?? '' }))
}

onParentMessage<TallyOrder>(({ tag, forget }) => {
  const seen = tags.get(tag)
  const idOf = seen?.idOf ?? new Map<number, string>()
  const missing = missingSerials(idOf)
  const report: TallyReport = { came: idOf.size, twice: seen?.repeats ?? 0, total, lostConnection, missing }
  if (forget === true) tags.delete(tag)
  sendToParent(report)
})
sendToParent({ subscribed: true })
