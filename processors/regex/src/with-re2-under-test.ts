import { test } from 'node:test'
import { loadRe2, type RegexEngine } from './re2-engine.ts'

const engine = await loadRe2()

/** Declares a test that needs re2's native addon. Without the addon the test is skipped, but it fails in CI. */
export function testWithRe2(title: string, run: (engine: RegexEngine) => void | Promise<void>): void {
  const skip = engine === undefined && process.env.CI !== 'true' ? 're2 is not built: node tools/re2/main.ts' : false
  test(title, { skip }, async () => {
    if (engine === undefined) throw new Error('re2 is not built')
    await run(engine)
  })
}
