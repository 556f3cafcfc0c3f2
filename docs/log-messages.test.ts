import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
/** A message that a page quotes behind its level or the log, such as WARN `records lost`, perhaps in the next line. */
const QUOTED = /\b(?:INFO|WARN|ERROR|logs|[Ll]og (?:says|has|line))[,:]?\s+`([a-z]\S*\s[^`{]*)`/g

function tracked(...patterns: readonly string[]): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...patterns], { cwd: ROOT, encoding: 'utf8' })
  return listed.split('\0').filter((path) => path !== '')
}

test('each log line that a page quotes is a message of a program', () => {
  const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
  const programs = tracked('*.ts', '*.py').filter((path) => !/\.test\.ts$|(^|\/)tests?\//.test(path))
  const sources = programs.map(read).join('\n')
  const quotes = tracked('*.md').flatMap((page) =>
    [...read(page).matchAll(QUOTED)].map(([, message = '']) => ({ page, message: message.replaceAll(/\s+/g, ' ') })),
  )
  assert.ok(quotes.length > 25)
  assert.deepEqual(
    quotes.filter(({ message }) => !sources.includes(message)),
    [],
  )
})
