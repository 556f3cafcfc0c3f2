import { execFileSync } from 'node:child_process'

/** Builds a checkout's image like `make image`; returns the output. */
export function buildArchive(root: string, out: string): string {
  const args = [`${root}/tools/image/main.ts`, '--out', out, '--name', 'llm-gateway:test']
  const { SOURCE_DATE_EPOCH: _, ...environment } = process.env
  return execFileSync(process.execPath, args, { encoding: 'utf8', env: environment })
}
