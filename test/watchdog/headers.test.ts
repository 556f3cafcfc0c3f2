import { HEADERS } from './attacks/headers.ts'
import { defineAttackTests } from './define-attack-tests.ts'

defineAttackTests('headers', HEADERS, process.env)
