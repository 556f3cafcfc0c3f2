import { REQUESTS } from './attacks/requests.ts'
import { watch } from './watch.ts'

watch('requests', REQUESTS, process.env)
