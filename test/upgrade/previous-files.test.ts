import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, suite, test } from 'node:test'
import versions from '../../tools/versions.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '../..')
const FIXTURES = join(ROOT, 'test/fixtures/previous')
const CONF = join(FIXTURES, 'conf')
const EXAMPLE = join(CONF, 'examples/processors')
const ENVIRONMENT = {
  NATS_TOKEN: 'token',
  GUI_SECRET: 'secret',
  GATEWAY_HOST: '127.0.0.1:4222',
  AISERVICE_API_BASE: 'https://llm.example',
  AISERVICE_API_KEY: 'real',
  GATEWAY_API_KEY: 'own',
}

/** The previous version's files and the programs that read them. */
const FILES: readonly (readonly [program: string, file: string])[] = [
  ['gateway', join(CONF, 'gl_config.json')],
  ['gateway', join(EXAMPLE, 'gl_config.json')],
  ['gateway/ginit', join(CONF, 'ginit_config.json')],
  ['gateway/ginit', join(EXAMPLE, 'ginit_config.json')],
  ['processors/nats2log', join(CONF, 'nats2file_config.json')],
  ['processors/nats2log', join(CONF, 'nats2log_config.json')],
  ['processors/token-counter', join(CONF, 'tokencounter_config.json')],
  ['processors/broker', join(EXAMPLE, 'broker_config.json')],
  ['processors/character-count', join(EXAMPLE, 'charactercount_config.json')],
  ['processors/content-filter', join(EXAMPLE, 'contentfilter_config.json')],
  ['processors/mock', join(EXAMPLE, 'mock_config.json')],
  ['processors/nlp-entities', join(EXAMPLE, 'nlpentities_config.json')],
  ['processors/tokenizer', join(EXAMPLE, 'tokenizer_config.json')],
]

/** Intended messages about an older file: settings without a value, and settings that have lost their meaning. */
const EXPECTED_MESSAGES: ReadonlySet<unknown> = new Set([
  'sink not configured',
  'settings of earlier versions are ignored: the sink tries until the target has the record or will never accept it',
])

suite("the previous version's shipped files, without an edit", () => {
  const folder = mkdtempSync(join(tmpdir(), 'upgrade-'))
  after(() => rmSync(folder, { recursive: true }))

  test('the fixtures of the previous version belong to the commit in versions.json', () => {
    const { commit } = versions.previous
    assert.equal(readFileSync(join(FIXTURES, 'COMMIT'), 'utf8').trim(), commit)
    for (const path of ['conf/gl_config.json', 'crds/manifests/llmgateway.io_routers.yaml']) {
      const there = execFileSync('git', ['show', `${commit}:${path}`], { cwd: ROOT, encoding: 'utf8' })
      assert.equal(readFileSync(join(FIXTURES, path), 'utf8'), there, path)
    }
  })

  for (const [program, file] of FILES)
    test(`${program} accepts ${basename(file)}${file.startsWith(EXAMPLE) ? ' of the example' : ''}`, () => {
      assert.ok(existsSync(file))
      const args = [join(ROOT, program, 'src/main.ts'), '--validate', '-o', file]
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        cwd: folder,
        env: ENVIRONMENT,
        encoding: 'utf8',
      })
      assert.equal(status, 0, stdout + stderr)
      // A program warns about unknown and rejected fields.
      const lines = stdout.split('\n').filter((line) => /"level":"(WARN|ERROR)"/.test(line))
      const warnings = lines.filter((line) => !EXPECTED_MESSAGES.has(JSON.parse(line).msg))
      assert.deepEqual(warnings, [])
    })
})
