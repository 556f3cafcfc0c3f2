import { measureEditLatency } from './edit-latency.ts'
import { measureScale } from './scale.ts'

// Prints measurements without judging them: `live`, `scale [ROUTERS…]`, or both.
const [what = 'both', ...counts] = process.argv.slice(2)
if (what !== 'scale') await measureEditLatency(process.env)
if (what !== 'live') {
  const { EDITS, REST_SECONDS, NODE_FLAGS } = process.env
  await measureScale({
    counts: counts.length === 0 ? [500, 5_000] : counts.map(Number),
    ...(EDITS === undefined ? {} : { edits: Number(EDITS) }),
    ...(REST_SECONDS === undefined ? {} : { restMs: Number(REST_SECONDS) * 1_000 }),
    ...(NODE_FLAGS === undefined ? {} : { flags: NODE_FLAGS.split(' ').filter(Boolean) }),
  })
}
