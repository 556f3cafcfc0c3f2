#!/usr/bin/env node
import { runProcessor } from '@llm-gateway/sdk'
import packageFile from '../package.json' with { type: 'json' }
import { regex } from './regex.ts'

process.exit(await runProcessor(regex(packageFile.version), process))
