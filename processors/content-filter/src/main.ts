#!/usr/bin/env node
import { runProcessor } from '@llm-gateway/sdk'
import packageFile from '../package.json' with { type: 'json' }
import { contentFilter } from './definition.ts'

process.exit(await runProcessor(contentFilter(packageFile.version), process))
