import { HEADERS } from './attacks/headers.ts'
import { watch } from './watch.ts'

watch('headers', HEADERS, process.env)
