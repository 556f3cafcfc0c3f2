import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { completeLock } from './complete-lock.ts'

const file = join(import.meta.dirname, '../../package-lock.json')
const text = readFileSync(file, 'utf8')
const lock = JSON.parse(text)
const completed = `${JSON.stringify({ ...lock, packages: completeLock(lock.packages) }, undefined, 2)}\n`
if (completed !== text) writeFileSync(file, completed)
