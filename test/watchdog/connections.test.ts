import { CONNECTIONS } from './attacks/connections.ts'
import { watch } from './watch.ts'

watch('connections', CONNECTIONS, process.env)
