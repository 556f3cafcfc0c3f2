import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeOnce } from '../parts/make-once.ts'
import type { ImageBuild } from '../parts/part.ts'
import { platformOf } from '../parts/platform.ts'
import { run } from '../parts/run.ts'
import { openApt } from './apt.ts'

/**
 * Unpacks the newest version of a Debian package, with the dependencies that this machine lacks, into a folder, once
 * and without installing. Returns the reason when that failed.
 */
export async function unpackTree(imageBuild: ImageBuild, name: string, folder: string): Promise<string | undefined> {
  const architecture = platformOf(process.arch)?.architecture
  if (architecture === undefined) return `there is no ${name} for this machine`
  return await makeOnce(folder, async (half) => {
    const scratch = `${half}.apt`
    try {
      const { environment } = imageBuild
      const apt = openApt({ folder: scratch, architecture, environment })
      const install = ['install', '--download-only', '--yes', '--no-install-recommends', name]
      const failed = (await apt.update()) ?? (await apt.get(install))
      return failed ?? (await unpackAll(join(scratch, 'apt/cache/archives'), half, environment))
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  })
}

async function unpackAll(
  archives: string,
  folder: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  for (const file of readdirSync(archives).filter((name) => name.endsWith('.deb'))) {
    const reason = await run('dpkg-deb', ['-x', join(archives, file), folder], { environment })
    if (reason !== undefined) return reason
  }
  return undefined
}
