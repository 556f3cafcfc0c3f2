import { REPLIES } from './attacks/replies.ts'
import { watch } from './watch.ts'

watch('replies', REPLIES, process.env)
