import { STREAMS } from './attacks/streams.ts'
import { defineAttackTests } from './define-attack-tests.ts'

defineAttackTests('streams', STREAMS, process.env)
