import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const SOURCE = join(import.meta.dirname, 'opensearch')
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies'

/**
 * Installs OpenSearch's jars (43 MB, pinned) and our start class into the folder's `opensearch`, unless it exists. Says
 * so when Maven or a JDK is missing.
 */
export function buildOpenSearch(folder: string): void {
  const place = join(folder, 'opensearch')
  if (existsSync(place)) return
  console.log('targets: building opensearch')
  const draft = mkdtempSync(join(folder, 'draft-'))
  try {
    copyFileSync(join(SOURCE, 'pom.xml'), join(draft, 'pom.xml'))
    const run = (command: string, args: readonly string[]) =>
      execFileSync(command, args, { cwd: draft, stdio: 'inherit' })
    run('mvn', ['-q', '-B', COPY, '-DoutputDirectory=lib'])
    run('javac', ['-cp', 'lib/*', '-d', 'classes', join(SOURCE, 'Server.java')])
    renameSync(draft, place)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    console.log('targets: no opensearch: it needs mvn and javac')
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}
