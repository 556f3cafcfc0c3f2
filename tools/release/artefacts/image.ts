import { join } from 'node:path'
import type { ReleaseBuild } from '../artefact.ts'
import { runProgram } from '../run-program.ts'

/** Writes `llm-gateway-<version>.oci.tar`: the image for amd64 and arm64 with an index; every pin must hold. */
export async function buildReleaseImage({ stage, out, version, names, environment, say }: ReleaseBuild): Promise<void> {
  const program = [process.execPath, 'tools/image/main.ts', '--release']
  const target = ['--out', join(out, `llm-gateway-${version}.oci.tar`)]
  const name = ['--name', `${names.registry}/${names.image}:${version}`]
  const platforms = ['--platform', 'linux/amd64,linux/arm64']
  say(await runProgram([...program, ...target, ...name, ...platforms], { cwd: stage, environment }))
}
