import { REQUESTS } from './attacks/requests.ts'
import { defineAttackTests } from './define-attack-tests.ts'

defineAttackTests('requests', REQUESTS, process.env)
