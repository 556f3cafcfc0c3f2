#!/usr/bin/env node
import { runProcessor } from '@llm-gateway/sdk'
import packageFile from '../package.json' with { type: 'json' }
import { characterCount } from './definition.ts'

process.exit(await runProcessor(characterCount(packageFile.version), process))
