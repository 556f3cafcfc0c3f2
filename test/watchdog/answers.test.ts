import { ANSWERS } from './attacks/answers.ts'
import { watch } from './watch.ts'

watch('answers', ANSWERS, process.env)
