import { decodeResources } from './render/decode-resources.ts'
import { readFolder } from './render/read-folder.ts'
import { render } from './render/render.ts'
import { summaryOf } from './render/summary.ts'
import { writeRendered } from './render/write-rendered.ts'

export type RenderCommand = {
  readonly folder: string
  /** The output folder; undefined: nothing is written. */
  readonly output: string | undefined
  /** True: the values that gl_config.json refers to are written, too. */
  readonly values: boolean
  readonly image: string
}

/** The result of a command: its exit code and its texts. */
export type CommandOutcome = { readonly code: number; readonly stdout: string; readonly stderr: string }

const BROKEN = 1
/** The exit code if all was rendered and at least one resource would not work. */
const NOT_PROGRAMMED = 2

/**
 * `operator render`: resources of a folder → gl_config.json and statuses, without a cluster
 * (docs/reference/kubernetes.md#commands).
 */
export function runRender({ folder, output, values, image }: RenderCommand): CommandOutcome {
  const read = readFolder(folder, output)
  if (read.kind === 'broken') return broken(read.errors)
  const decoded = decodeResources(read.objects)
  if (decoded.kind === 'broken') return broken(decoded.errors)
  const { resources } = decoded
  if (resources.gateways.length + resources.routers.length + resources.processors.length === 0) {
    return broken([`${folder}: holds no LLMGateway, Router or Processor`])
  }
  const rendered = render(resources, image)
  const unwritten = output === undefined ? undefined : writeRendered(output, rendered, values)
  if (unwritten !== undefined) return broken([unwritten])
  const { text, fine } = summaryOf(rendered)
  const stderr = resources.ignored.map((place) => `ignored: ${place}\n`).join('')
  return { code: fine ? 0 : NOT_PROGRAMMED, stdout: text, stderr }
}

function broken(errors: readonly string[]): CommandOutcome {
  return { code: BROKEN, stdout: '', stderr: errors.map((error) => `${error}\n`).join('') }
}
