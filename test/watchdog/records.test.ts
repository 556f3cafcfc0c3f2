import { RECORDS } from './attacks/records.ts'
import { watch } from './watch.ts'

watch('records', RECORDS, process.env)
