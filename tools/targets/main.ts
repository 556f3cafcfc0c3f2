import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildOpenSearch } from './build-opensearch.ts'

// Builds the servers of the sinks' tests, the reader of Compose's files and the checks of GitHub's workflows and of
// provenance, from Go modules and jars into .tools/targets; existing programs stay.
const FOLDER = resolve(import.meta.dirname, '../../.tools/targets')
const COLLECTOR = 'go.opentelemetry.io/collector'
const TARGETS = [
  {
    name: 'versitygw',
    program: 'github.com/versity/versitygw/cmd/versitygw',
    source: undefined,
    modules: ['github.com/versity/versitygw@v1.8.0'],
  },
  {
    name: 'collector',
    program: '.',
    source: join(import.meta.dirname, 'collector/main.go'),
    modules: [
      `${COLLECTOR}/confmap@v1.16.0`,
      `${COLLECTOR}/confmap/provider/fileprovider@v1.16.0`,
      ...['otelcol', 'receiver/otlpreceiver', 'exporter/debugexporter'].map((name) => `${COLLECTOR}/${name}@v0.110.0`),
    ],
  },
  {
    name: 'compose-config',
    program: '.',
    source: join(import.meta.dirname, 'compose/main.go'),
    modules: ['github.com/compose-spec/compose-go/v2@v2.16.2'],
  },
  {
    name: 'provenance-check',
    program: '.',
    source: join(import.meta.dirname, 'provenance/main.go'),
    modules: ['github.com/in-toto/attestation@v1.1.2'],
  },
  {
    name: 'actionlint',
    program: 'github.com/rhysd/actionlint/cmd/actionlint',
    source: undefined,
    modules: ['github.com/rhysd/actionlint@v1.7.12'],
  },
] as const

mkdirSync(FOLDER, { recursive: true })
for (const target of TARGETS) {
  if (existsSync(join(FOLDER, target.name))) continue
  const folder = mkdtempSync(join(tmpdir(), 'llm-gateway-target-'))
  try {
    console.log(`targets: building ${target.name}`)
    build(target, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
buildOpenSearch(FOLDER)

function build({ name, program, source, modules }: (typeof TARGETS)[number], folder: string): void {
  const go = (...args: readonly string[]) => execFileSync('go', args, { cwd: folder, stdio: 'inherit' })
  writeFileSync(join(folder, 'go.mod'), 'module targets\n\ngo 1.24\n')
  for (const module of modules) go('mod', 'edit', '-require', module)
  if (source === undefined) go('get', `${program}@${modules[0].split('@')[1]}`)
  else copyFileSync(source, join(folder, 'main.go'))
  if (source !== undefined) go('mod', 'tidy')
  go('build', '-o', join(FOLDER, name), program)
}
