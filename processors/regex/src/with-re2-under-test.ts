import { test } from 'node:test'
import { loadRe2, type RegexEngine } from './re2-engine.ts'

const engine = await loadRe2()

/** For tests: a test that needs the native addon; skipped with the reason where there is none, but never in CI. */
export function testWithRe2(title: string, run: (engine: RegexEngine) => void | Promise<void>): void {
  const skip = engine === undefined && process.env.CI !== 'true' ? 're2 is not built: node tools/re2/main.ts' : false
  test(title, { skip }, async () => {
    if (engine === undefined) throw new Error('re2 is not built')
    await run(engine)
  })
}
