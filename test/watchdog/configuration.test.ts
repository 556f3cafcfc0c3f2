import { CONFIGURATION } from './attacks/configuration.ts'
import { watch } from './watch.ts'

watch('configuration', CONFIGURATION, process.env)
