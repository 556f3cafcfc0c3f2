import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { callsOf } from '@llm-gateway/conf/failure'
import { endpoints, FAILURES, type FileName } from '@llm-gateway/gui-api'
import { isBounded } from '@llm-gateway/protocol'
import type { Answer, Route } from '../answer.ts'
import { fileRoutes } from '../file-routes.ts'
import { Archive } from '../files/archive.ts'
import { DraftStore } from '../files/draft-store.ts'
import { readFileEnvironment } from '../files/file-environment.ts'
import { FileStore } from '../files/file-store.ts'
import { fileCost, GrownTextError, MOST_COUNTED, readText, removeLeftovers } from '../files/file-text.ts'
import { isTooLarge } from '../files/json-places.ts'
import { knownFiles, ownFolder } from '../files/known-files.ts'
import { textWork } from '../files/text-work.ts'
import { fetchRouterStatus, fetchStatus, gatewayAddress } from '../live/gateway-client.ts'
import { awaitRestart } from '../live/service-states.ts'
import { NOT_THE_JSON } from '../read-body.ts'
import { prepareCall } from '../trying/prepare-call.ts'
import type { FileAnswer, FileOrder, FileQuestion, FileRequest } from './file-messages.ts'
import { fileParts } from './file-parts.ts'
import { bodyOf } from './request-body.ts'

export type FileAnswers = {
  /** Never rejects. */
  answer(question: FileQuestion): Promise<FileAnswer>
  /**
   * Returns an upper bound of a question's work, in bytes of plain text: that on the texts of all files, and that of the
   * request.
   */
  workOf(question: FileQuestion): Promise<number>
  /** Removes half-written files left by a kill. Call it before the first write. Never rejects. */
  clean(): Promise<void>
}

/** Values of a body: edits of 10,000 routers. */
const MOST_VALUES = 500_000

/**
 * Reads, judges, masks and writes the texts of files. The caller makes sure that each file has one change at a time. The
 * answer is `grown` if a text has more than `mostWork`.
 */
export function fileAnswers({ file, config, environment, node, folders }: FileOrder, mostWork?: number): FileAnswers {
  const files = knownFiles(file, config, { node, folders })
  const folder = ownFolder(config.working_directory, files, 'working')
  const archiveFolder = ownFolder(config.archive_directory, files, 'archive')
  const archive = new Archive(archiveFolder)
  const drafts = new DraftStore(folder, mostWork)
  const fileEnvironment = () => readFileEnvironment(environment)
  const now = () => Date.now()
  const textOf = async (name: FileName) => {
    const known = files.get(name)
    const text = known === undefined ? undefined : (await readText(known.live, mostWork))?.text
    // A file that is too large to check counts as missing, so its defaults are used.
    return text === undefined || isTooLarge(text) ? undefined : text
  }
  // A deploy asks the gateway after its write: a file that has grown by then counts as missing.
  const gateway = async () =>
    gatewayAddress(await textOf('gl_config.json').catch(missingIfGrown), await fileEnvironment())
  const deploy = {
    archive,
    drafts,
    folder,
    environment,
    fileEnvironment,
    status: async () => fetchStatus(await gateway()),
    restarted: (service: string, sinceMs: number) => awaitRestart(environment.SERVICES_STATE, service, sinceMs),
    now,
    wait: (ms: number) => delay(ms),
    mostWork,
  }
  const store = new FileStore({ files, drafts, archive, fileEnvironment, now, mostWork })
  const routes = fileRoutes({ files: store, deploy, routerStatus: async () => fetchRouterStatus(await gateway()) })
  const byName = new Map(routes.map((route) => [`${route.endpoint.method} ${route.endpoint.path}`, route]))
  const answer = async (question: FileQuestion): Promise<FileAnswer> => {
    switch (question.kind) {
      case 'request': {
        const { request } = question
        return fileAnswerOf(await answerRequest(byName.get(`${request.method} ${request.path}`), request))
      }
      case 'parts':
        return { kind: 'parts', parts: await fileParts(textOf, await fileEnvironment()) }
      case 'call': {
        const text = await textOf('gl_config.json')
        return { kind: 'call', call: prepareCall(text, question.router, await fileEnvironment()) }
      }
      default:
        return question satisfies never
    }
  }
  return {
    answer: (question) => answer(question).catch(failure),
    workOf: async (question) => {
      const costs = [...files.values()].flatMap(({ name, live }) => [fileCost(live), drafts.cost(name)])
      const texts = (await Promise.all(costs)).reduce((sum, { work }) => sum + work, 0)
      return texts + (question.kind === 'request' ? await requestWork(question.request, { texts, archive }) : 0)
    },
    clean: async () => {
      const versions = [...files.keys()].map((name) => join(archiveFolder, name))
      const folders = new Set([folder, ...versions, ...[...files.values()].map(({ live }) => dirname(live))])
      await Promise.all([...folders].map(removeLeftovers))
    },
  }
}

type RequestSurroundings = { readonly texts: number; readonly archive: Archive }

async function requestWork(request: FileRequest, { texts, archive }: RequestSurroundings): Promise<number> {
  const { body, parameters } = request
  if (body !== undefined && body.length > MOST_COUNTED) return body.length
  const own = body === undefined ? 0 : textWork(body)
  const asked = endpoints.archived.parameters.safeParse(parameters)
  const version = asked.success ? await archive.cost(asked.data.file, asked.data.digest) : undefined
  // A body of much work goes to a thread, so it is not parsed here.
  const edits = own > MOST_COUNTED ? 0 : editsOf(request)
  return own + (version?.work ?? 0) + (edits * (texts + own)) / EDITS_PER_JUDGEMENT
}

/** A text is read and written anew for each edit, which takes a part of the time of its judgement. */
const EDITS_PER_JUDGEMENT = 8

function editsOf({ path, body }: FileRequest): number {
  if (path !== endpoints.saveDraft.path) return 0
  const parsed = bodyOf(body)
  const { edits }: { edits?: unknown } = parsed.kind === 'answered' ? Object(parsed.value) : {}
  return Array.isArray(edits) ? edits.length : 0
}

function missingIfGrown(error: unknown): undefined {
  if (!(error instanceof GrownTextError)) throw error
}

/** Leaves out the error's message, which may quote the request or a file. */
function failure(error: unknown): FileAnswer {
  if (error instanceof GrownTextError) return { kind: 'grown' }
  if (!(error instanceof Error)) return { kind: 'failed', name: 'unknown', stack: '' }
  return { kind: 'failed', name: error.name, stack: callsOf(error).join('\n') }
}

async function answerRequest(route: Route | undefined, request: FileRequest): Promise<Answer<unknown>> {
  if (route === undefined) throw new Error('the files have no such route')
  const { parameters, query, callerName: name } = request
  if (request.body !== undefined && !isBounded(request.body, { values: MOST_VALUES })) return NOT_THE_JSON
  const body = bodyOf(request.body)
  if (body.kind === 'failed') return body
  // A change is completed even if its session ends meanwhile.
  const caller = { name, ended: new AbortController().signal }
  return await route.answer({ parameters, query, body: body.value, caller })
}

function fileAnswerOf(answer: Answer<unknown>): FileAnswer {
  if (answer.kind === 'events') throw new Error('a route of the files answers with events')
  const { kind: _, ...error } = answer
  const value = answer.kind === 'failed' ? { error } : answer.value
  const status = answer.kind === 'failed' ? FAILURES[answer.code].status : 200
  return { kind: 'request', status, text: bytesOf(JSON.stringify(value)) }
}

/** Encodes a text into a buffer of its own, which can be transferred to another thread. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
