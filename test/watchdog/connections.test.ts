import { CONNECTIONS } from './attacks/connections.ts'
import { defineAttackTests } from './define-attack-tests.ts'

defineAttackTests('connections', CONNECTIONS, process.env)
