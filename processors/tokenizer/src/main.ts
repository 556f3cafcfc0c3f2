#!/usr/bin/env node
import { runProcessor } from '@llm-gateway/sdk'
import packageFile from '../package.json' with { type: 'json' }
import { tokenizer } from './tokenizer.ts'

process.exit(await runProcessor(tokenizer(packageFile.version), process))
