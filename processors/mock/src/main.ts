#!/usr/bin/env node
import { runProcessor } from '@llm-gateway/sdk'
import packageFile from '../package.json' with { type: 'json' }
import { mock } from './mock.ts'

process.exit(await runProcessor(mock(packageFile.version), process))
