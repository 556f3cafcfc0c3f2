#!/usr/bin/env node
import { runProcessor } from '@llm-gateway/sdk'
import packageFile from '../package.json' with { type: 'json' }
import { broker } from './broker.ts'

process.exit(await runProcessor(broker(packageFile.version), process))
