import { RECORDS } from './attacks/records.ts'
import { defineAttackTests } from './define-attack-tests.ts'

defineAttackTests('records', RECORDS, process.env)
