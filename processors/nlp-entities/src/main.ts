#!/usr/bin/env node
import { runProcessor } from '@llm-gateway/sdk'
import packageFile from '../package.json' with { type: 'json' }
import { nlpEntities } from './nlp-entities.ts'

process.exit(await runProcessor(nlpEntities(packageFile.version), process))
