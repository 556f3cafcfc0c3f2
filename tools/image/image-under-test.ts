import { execFileSync } from 'node:child_process'

/** Builds a checkout's image as `make image` does; what it printed. */
export function buildArchive(root: string, out: string): string {
  const args = [`${root}/tools/image/main.ts`, '--out', out, '--name', 'llm-gateway:test']
  const { SOURCE_DATE_EPOCH: _, ...environment } = process.env
  return execFileSync(process.execPath, args, { encoding: 'utf8', env: environment })
}
