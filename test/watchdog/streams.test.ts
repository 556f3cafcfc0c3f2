import { STREAMS } from './attacks/streams.ts'
import { watch } from './watch.ts'

watch('streams', STREAMS, process.env)
