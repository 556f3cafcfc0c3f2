import type { Environment } from '@llm-gateway/conf'
import type { Check, DeployResult } from '@llm-gateway/gui-api'
import { type Answer, answered, type Caller, failed } from '../answer.ts'
import type { GatewayStatus } from '../live/gateway-client.ts'
import type { Archive } from './archive.ts'
import { checkText } from './check-text.ts'
import type { DraftStore } from './draft-store.ts'
import type { FileEnvironment } from './file-environment.ts'
import { currentText, type FileState, liveConflict } from './file-store.ts'
import { type FileText, readText, writeText } from './file-text.ts'
import { judge } from './judge.ts'
import { notWritable } from './not-writable.ts'
import { READ_ONLY_FIELDS, readOnlyChanges } from './read-only.ts'

export type DeployDependencies = {
  readonly archive: Archive
  readonly drafts: DraftStore
  /** The folder for copies that the validate command reads. */
  readonly folder: string
  readonly environment: Environment
  readonly fileEnvironment: () => Promise<FileEnvironment>
  readonly status: () => Promise<GatewayStatus>
  /** Waits until a service started after `sinceMs` (Unix ms) is healthy; undefined if its state isn't known. */
  readonly restarted: (service: string, sinceMs: number) => Promise<boolean | undefined>
  readonly now: () => number
  readonly wait: (ms: number) => Promise<void>
  /** Rejects with a GrownTextError if the live file has more work when its change during the checks is looked for. */
  readonly mostWork?: number | undefined
}

export type DeployOrder = {
  readonly tag: string
  readonly note: string
  readonly acceptRejected: boolean
  readonly caller: Caller
}

type DeployFailure = 'NO_DRAFT' | 'CONFLICT' | 'READ_ONLY' | 'NOT_VALID' | 'NOT_WRITABLE'

const GATEWAY_TIMEOUT_MS = 15_000
const POLL_MS = 50

/**
 * Makes a draft live: checks the text twice, stores both versions, replaces the file in one step and asks for the
 * effect. The caller makes sure that no other change of this file runs meanwhile.
 */
export async function deploy(
  state: FileState,
  order: DeployOrder,
  dependencies: DeployDependencies,
): Promise<Answer<DeployResult, DeployFailure>> {
  const { file, live, draft } = state
  if (draft === undefined) return failed('NO_DRAFT', 'There is no draft. The live file is shown.')
  if (order.tag !== currentText(state).digest)
    return failed(
      'CONFLICT',
      'Another person changed the draft meanwhile. Review the draft again before you deploy it.',
    )
  if (draft.base.digest !== (live?.digest ?? draft.base.digest)) return liveConflict(state, draft.draft)
  const changes = readOnlyChanges(file, live?.text ?? '', draft.draft.text)
  if (changes.length > 0) return failed('READ_ONLY', READ_ONLY_FIELDS, { fields: [...changes] })
  const admitted = await admit(state, draft.draft, { order, dependencies })
  if (admitted.kind === 'failed') return admitted
  const { moreRejected } = admitted
  const { draft: text } = draft
  const began = dependencies.now()
  let writtenAt = began
  try {
    await storeBoth(state, text, dependencies)
    // The file may have changed during the checks.
    const found = await readText(file.live, dependencies.mostWork)
    if (found?.digest !== live?.digest) return liveConflict({ ...state, live: found }, text)
    writtenAt = dependencies.now()
    await writeText(file.live, text.text, 0o644)
  } catch (error) {
    return notWritable(error)
  }
  await noteDeployed(file, text, { order, dependencies })
  // The file is live already, and a draft that equals the live file counts as none.
  await dependencies.drafts.remove(file.name).catch(() => undefined)
  return answered({
    file: file.name,
    digest: text.digest,
    ...(await awaitEffect(state, { text, moreRejected, writtenAt }, dependencies)),
    took_ms: dependencies.now() - began,
  })
}

type DeployContext = { readonly order: DeployOrder; readonly dependencies: DeployDependencies }

async function admit({ file, live }: FileState, text: FileText, { order, dependencies }: DeployContext) {
  const fileEnvironment = await dependencies.fileEnvironment()
  const check = checkText(file.name, text.text, fileEnvironment)
  if (check.result === 'invalid')
    return failed('NOT_VALID', 'The draft is not valid. The fields name the reasons.', { check })
  const before = live === undefined ? undefined : checkText(file.name, live.text, fileEnvironment)
  const moreRejected = check.result === 'partly' && rejectsMore(check, before)
  if (moreRejected && !order.acceptRejected)
    return failed('NOT_VALID', 'The gateway would reject routers of the draft that it does not reject now.', { check })
  const judgement = await judge(file, text.text, dependencies)
  switch (judgement.kind) {
    case 'good':
      return { kind: 'admitted', moreRejected } as const
    case 'bad':
      return failed('NOT_VALID', judgement.message, { check })
    case 'failed':
      return judgement
    default:
      return judgement satisfies never
  }
}

/**
 * Returns whether a draft has more rejected routers than the live file. Routers that are already rejected don't block a
 * deploy: the shipped file has some while no LLM API is connected.
 */
function rejectsMore(check: Check, before: Check | undefined): boolean {
  const faults = (one: Check | undefined) =>
    (one?.fields ?? [])
      .filter(({ state }) => state !== 'missing')
      .map(({ path, reason, unset }) => JSON.stringify([path.slice(2), reason, unset]))
  const known = faults(before)
  return faults(check).some((fault) => {
    const at = known.indexOf(fault)
    if (at >= 0) known.splice(at, 1)
    return at < 0
  })
}

async function storeBoth(
  { file, live }: FileState,
  next: FileText,
  { archive, now }: DeployDependencies,
): Promise<void> {
  const time = new Date(now()).toISOString()
  const [newest] = await archive.list(file.name)
  if (live !== undefined && newest?.digest !== live.digest)
    await archive.add(file.name, { file: live, time, origin: 'found', name: '', note: '' })
  await archive.store(file.name, next)
}

/** Adds the text to the list of versions, which has only texts that went live. */
async function noteDeployed(
  { name }: FileState['file'],
  file: FileText,
  { order, dependencies: { archive, now } }: DeployContext,
): Promise<void> {
  const about = {
    time: new Date(now()).toISOString(),
    origin: 'deployed' as const,
    name: order.caller.name,
    note: order.note,
  }
  // The file is live already. Without its line the next deploy adds the text as found.
  await archive.add(name, { file, ...about }).catch(() => undefined)
}

type WrittenFile = { readonly text: FileText; readonly moreRejected: boolean; readonly writtenAt: number }
type Effect = Pick<DeployResult, 'result' | 'message' | 'rejected_fields'>

async function awaitEffect(
  { file }: FileState,
  written: WrittenFile,
  dependencies: DeployDependencies,
): Promise<Effect> {
  if (file.takesEffect === 'by_hand')
    return effectOf('by_hand', 'The file is written. It takes effect after a restart of all services.')
  if (file.takesEffect === 'at_once') return await gatewaysAnswer(written, dependencies)
  if (file.name === 'gui_config.json')
    return effectOf('unknown', 'The file is written. The web interface restarts with it. Log in again in a moment.')
  const isUp = await dependencies.restarted(file.service, written.writtenAt)
  if (isUp === undefined) return effectOf('unknown', `The file is written. ${file.service} restarts with it.`)
  return isUp
    ? effectOf('live', `${file.service} uses the new file.`)
    : effectOf(
        'unknown',
        `The file is written. ${file.service} has not started with it yet. See the log of ${file.service}.`,
      )
}

function effectOf(result: Effect['result'], message: string, rejected: Readonly<Record<string, string>> = {}): Effect {
  return { result, message, rejected_fields: { ...rejected } }
}

/** Asks the gateway until it runs the new file or has refused it. */
async function gatewaysAnswer(
  { text: { digest }, moreRejected, writtenAt }: WrittenFile,
  dependencies: DeployDependencies,
): Promise<Effect> {
  const until = dependencies.now() + GATEWAY_TIMEOUT_MS
  while (dependencies.now() < until) {
    const { state } = await dependencies.status()
    if (!state.reachable) return effectOf('unknown', `The file is written. ${state.message}`)
    const { rejected_fields: rejected, reload } = state
    if (state.digest === digest && reload.result !== 'waiting') {
      const [result, message] = moreRejected
        ? (['rejected', 'The gateway uses the new file without the rejected routers.'] as const)
        : (['live', 'The gateway uses the new file.'] as const)
      return effectOf(result, message, rejected)
    }
    if (reload.result === 'failed' && Date.parse(reload.time) >= writtenAt - CLOCK_MS)
      return effectOf(
        'refused',
        `The gateway rejected the file and keeps the previous one (${reload.reason}).`,
        rejected,
      )
    await dependencies.wait(POLL_MS)
  }
  return effectOf('unknown', 'The file is written. The gateway has not confirmed in time that it uses the file.')
}

/** The gateway's times are whole milliseconds; the server's may be one later. */
const CLOCK_MS = 5
