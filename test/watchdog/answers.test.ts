import { ANSWERS } from './attacks/answers.ts'
import { defineAttackTests } from './define-attack-tests.ts'

defineAttackTests('answers', ANSWERS, process.env)
