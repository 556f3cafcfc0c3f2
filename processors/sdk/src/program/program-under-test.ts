import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { BusAddress } from '@llm-gateway/test/fake/bus-client'
import { type Program, startProgram, waitForLine } from '@llm-gateway/test/fake/program'

const MAIN = join(import.meta.dirname, 'fixture/main.ts')

export type ProgramStart = {
  readonly bus?: BusAddress
  readonly args?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts the fixture's processor as a process of its own. */
export async function startTestProcessor({ bus, args = [], environment }: ProgramStart = {}): Promise<Program> {
  const place = bus === undefined ? {} : { GATEWAY_HOST: bus.address, NATS_TOKEN: bus.token }
  const command = process.execPath
  return await startProgram({ command, args: [MAIN, ...args], environment: { ...place, ...environment } })
}

/** Starts the fixture's processor and waits for its subscription. */
export async function runningTestProcessor(start: ProgramStart): Promise<Program> {
  const program = await startTestProcessor(start)
  await waitForLine(program, /processor initialized/)
  return program
}

/** Writes files into a temporary folder, which the test's end removes; returns the folder. */
export async function folderWith(
  context: TestContext,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'llm-gateway-sdk-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return folder
}

/** Requests a URL until the answer has this status. */
export async function statusUntil(url: string, status: number, timeoutMs = 60_000): Promise<void> {
  const end = performance.now() + timeoutMs
  for (;;) {
    const response = await fetch(url).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.status === status) return
    if (performance.now() > end) throw new Error(`${url} says ${response?.status}, not ${status}`)
    // Polls, since no event reports the condition.
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
