// Runs in a cluster's network. Prints as JSON the serials of the calls with a record on the bus, in the order of the
// stream. argv: the bus's host:port, its token.
import { openRecordStream } from '../fake/record-stream.ts'
import { serialOf } from '../ledger/serial-of.ts'

const [address = '', token = ''] = process.argv.slice(2)
await using kept = await openRecordStream({ address, token })
const serials: number[] = []
await kept.each(({ text }) => serials.push(serialOf(text)))
const info = await kept.info()
console.log(JSON.stringify({ replicas: info?.config.num_replicas, messages: info?.state.messages, serials }))
