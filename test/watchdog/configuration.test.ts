import { CONFIGURATION } from './attacks/configuration.ts'
import { defineAttackTests } from './define-attack-tests.ts'

defineAttackTests('configuration', CONFIGURATION, process.env)
