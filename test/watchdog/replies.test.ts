import { REPLIES } from './attacks/replies.ts'
import { defineAttackTests } from './define-attack-tests.ts'

defineAttackTests('replies', REPLIES, process.env)
