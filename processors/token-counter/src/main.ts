#!/usr/bin/env node
import { runProcessor } from '@llm-gateway/sdk'
import packageFile from '../package.json' with { type: 'json' }
import { tokenCounter } from './definition.ts'

process.exit(await runProcessor(tokenCounter(packageFile.version), process))
