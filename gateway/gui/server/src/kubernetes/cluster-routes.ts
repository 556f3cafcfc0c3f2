import { endpoints, type FailureCode } from '@llm-gateway/gui-api'
import { numberAt, textAt, valueAt } from '@llm-gateway/kube'
import { namesOf } from '@llm-gateway/operator/judge'
import { ThreadError } from '@llm-gateway/sdk'
import { type Answer, answered, type Failed, failed, type Route, route } from '../answer.ts'
import { type ApiRequests, CHANGED_MEANWHILE } from './api-requests.ts'
import { bindEditRole, type Owner } from './bind-commands.ts'
import type { Cluster } from './cluster.ts'
import { fetchPodStatuses, podRows } from './pod-statuses.ts'
import type { SeenVersions } from './seen-versions.ts'
import type { EffectiveFile, ManifestError, ResourcePlace } from './thread/questions.ts'

export type ClusterDependencies = {
  readonly cluster: Pick<Cluster, 'ask'>
  readonly requests: ApiRequests
  readonly owner: Owner
  readonly mode: 'ReadOnly' | 'Edit'
  readonly file: () => Promise<EffectiveFile>
  /** The versions that were shown to people. */
  readonly seen: SeenVersions
}

const READ_ONLY =
  'This web interface is read-only. Copy the manifest and apply it with kubectl, or set spec.webInterface.mode of the LLMGateway to Edit.'

/** Returns the routes that show resources, judge manifests and, in mode Edit, write them. */
export function clusterRoutes(dependencies: ClusterDependencies): readonly Route[] {
  const { cluster } = dependencies
  return [
    route(endpoints.resources, async ({ query }) => answered(await cluster.ask({ kind: 'rows', query }))),
    route(endpoints.routers, async () => answered(await cluster.ask({ kind: 'routers' }))),
    route(endpoints.resourceSchema, async ({ parameters }) =>
      answered(await cluster.ask({ kind: 'schema', of: parameters.kind })),
    ),
    route(endpoints.resource, ({ parameters }) => showResource(parameters, dependencies)),
    route(endpoints.configuration, async () => {
      const [facts, file] = await Promise.all([cluster.ask({ kind: 'cluster' }), dependencies.file()])
      const pods = podRows(facts.pods, await fetchPodStatuses(facts.pods), file.digest)
      return answered({ ...file, pods })
    }),
    route(endpoints.checkResource, ({ body }) => inTime(checkManifest(body.manifest, dependencies))),
    route(endpoints.dryRunResource, ({ body }) => inTime(applyManifest(body, { ...dependencies, dryRun: true }))),
    route(endpoints.applyResource, ({ body }) => inTime(applyManifest(body, { ...dependencies, dryRun: false }))),
    route(endpoints.deleteResource, ({ parameters, query }) =>
      deleteResource(parameters, query.resource_version, dependencies),
    ),
  ]
}

/** The thread is too busy, or the manifest takes more time or memory than it has. Any other error of it is a bug. */
const NOT_IN_TIME: ReadonlySet<string> = new Set(['TIMEOUT', 'OVERLOADED', 'THREAD_LOST'])

/** Answers TOO_MANY if the thread had no time or memory for an answer. */
async function inTime<Value, Code extends FailureCode>(
  answer: Promise<Answer<Value, Code>>,
): Promise<Answer<Value, Code | 'TOO_MANY'>> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof ThreadError && NOT_IN_TIME.has(error.code))) throw error
    return failed(
      'TOO_MANY',
      'The web interface could not check the manifest in time. Try again, or make the manifest smaller.',
    )
  }
}

/** Returns a reader of the effective file. Each call reads the file anew, so a new right takes effect at once. */
export function effectiveFileReader({
  cluster,
  requests,
  owner,
}: Pick<ClusterDependencies, 'cluster' | 'requests' | 'owner'>) {
  return async (): Promise<EffectiveFile> => {
    const { config: name } = namesOf({ name: owner.gateway })
    const found = await requests.get({ kind: 'ConfigMap', namespace: owner.namespace, name })
    const none = { text: null, digest: null }
    if (found.kind === 'failed') return { ...none, why: found.message }
    if (found.kind === 'missing') return { ...none, why: 'The operator has not written the file yet.' }
    return await cluster.ask({ kind: 'file', configMap: found.object })
  }
}

async function showResource(
  place: ResourcePlace,
  { cluster, requests, owner, mode, seen }: ClusterDependencies,
): Promise<Answer<ResourceAnswer, FailureOf<'resource'>>> {
  const found = await requests.get(place)
  if (found.kind === 'failed') return found
  if (found.kind === 'missing') return failed('NOT_FOUND', 'There is no such resource.')
  seen.add(found.object)
  const [shown, events, mayPatch] = await Promise.all([
    cluster.ask({ kind: 'shown', object: found.object }),
    requests.events(place),
    mode === 'Edit' ? requests.may('patch', place) : false,
  ])
  if (shown === undefined) return failed('NOT_FOUND', 'There is no such resource.')
  const editable = mode === 'Edit' && mayPatch === true
  return answered({
    ...shown,
    events,
    editable,
    not_editable: editable ? null : reasonNotEditable(place, owner, mode, mayPatch),
  })
}

type FailureOf<Name extends keyof typeof endpoints> = (typeof endpoints)[Name]['failures'][number]
type ResourceAnswer = (typeof endpoints)['resource']['answer']['_zod']['output']
type CheckAnswer = (typeof endpoints)['checkResource']['answer']['_zod']['output']
type AppliedAnswer = (typeof endpoints)['applyResource']['answer']['_zod']['output']
type DeletedAnswer = (typeof endpoints)['deleteResource']['answer']['_zod']['output']

function reasonNotEditable(
  place: ResourcePlace,
  owner: Owner,
  mode: ClusterDependencies['mode'],
  may: boolean | undefined,
): ResourceAnswer['not_editable'] {
  if (mode !== 'Edit') return { why: READ_ONLY, command: null }
  if (may === undefined)
    return {
      why: 'The API server does not say whether the account of the web interface may change the resource.',
      command: null,
    }
  const why =
    'The account of the web interface may not change the resource. A person with rights on roles can bind the edit role.'
  return { why, command: bindEditRole(owner, place.namespace) }
}

async function checkManifest(manifest: string, dependencies: ClusterDependencies): Promise<Answer<CheckAnswer, never>> {
  const stored = await storedOf(manifest, dependencies)
  const object = stored.kind === 'found' ? stored.object : undefined
  if (object !== undefined) dependencies.seen.add(object)
  const check = await dependencies.cluster.ask({ kind: 'check', manifest, stored: object })
  return answered({ ...check, command: 'kubectl apply --server-side --dry-run=server -f -' })
}

/** Reads the stored resource that a manifest names. */
async function storedOf(manifest: string, { cluster, requests }: ClusterDependencies) {
  const place = await cluster.ask({ kind: 'place', manifest })
  return place === undefined ? ({ kind: 'missing' } as const) : await requests.get(place)
}

type ApplyDependencies = ClusterDependencies & { readonly dryRun: boolean }
type ApplyBody = { readonly manifest: string; readonly resource_version?: string | undefined }

/**
 * Applies a manifest. Tries again if the resource changed between the read and the write, since the operator writes
 * statuses all the time. The next try compares the versions again and refuses if a person has changed the resource.
 */
async function applyManifest(
  body: ApplyBody,
  dependencies: ApplyDependencies,
): Promise<Answer<AppliedAnswer, FailureOf<'applyResource'>>> {
  if (dependencies.mode !== 'Edit') return failed('READ_ONLY_MODE', READ_ONLY)
  for (let tries = 1; ; tries += 1) {
    const answer = await applyOnce(body, dependencies)
    const mayBeStatus =
      answer.kind === 'failed' && answer.code === 'RESOURCE_CHANGED' && answer.message === CHANGED_MEANWHILE
    if (!mayBeStatus || tries >= MOST_TRIES) return answer
  }
}

const MOST_TRIES = 4
const CHANGED = 'The resource was changed after you loaded it. Load it again and review the difference.'

async function applyOnce(
  body: ApplyBody,
  dependencies: ApplyDependencies,
): Promise<Answer<AppliedAnswer, FailureOf<'applyResource'>>> {
  const { cluster, requests, dryRun, seen } = dependencies
  const { manifest } = body
  const stored = await storedOf(manifest, dependencies)
  if (stored.kind === 'failed') return stored
  const before = stored.kind === 'found' ? stored.object : undefined
  const plan = await cluster.ask({ kind: 'applyPlan', manifest, stored: before })
  if (plan.kind === 'invalid') return notValid(plan.errors)
  if (plan.kind === 'nowhere') return maskedNowhere(plan.paths)
  if (body.resource_version !== undefined && !seen.isSame(body.resource_version, before))
    return failed('RESOURCE_CHANGED', CHANGED)
  const { place, object, secrets } = plan
  const written = await requests.apply(place, withVersion(object, before), { dryRun, secrets })
  if (written.kind === 'failed') return written
  seen.add(written.object)
  const applied = await cluster.ask({ kind: 'applied', before, after: written.object })
  return answered({ ...applied, result: resultOf(before, applied) })
}

/** Returns the outcome of a write. The generation is compared too, because masked texts hide a changed literal. */
function resultOf(before: unknown, { diff, generation }: Omit<AppliedAnswer, 'result'>): AppliedAnswer['result'] {
  if (before === undefined) return 'created'
  const isSame = diff === '' && numberAt(before, 'metadata', 'generation') === generation
  return isSame ? 'unchanged' : 'changed'
}

function notValid(errors: readonly ManifestError[]): Failed<'NOT_VALID'> {
  const fields = errors.slice(0, 20).map(({ path, message, line }) => ({
    path: [path],
    message: line === null ? message : `line ${line}: ${message}`,
  }))
  return failed('NOT_VALID', 'The manifest has errors. Nothing was sent to the cluster.', { fields })
}

function maskedNowhere(paths: readonly string[]): Failed<'MASKED_NOWHERE'> {
  const message = 'A mask is in a place without a stored value. Write the value or a reference such as ${NAME}.'
  const fields = paths.slice(0, 20).map((path) => ({ path: [path], message: 'No value is stored in this place.' }))
  return failed('MASKED_NOWHERE', message, { fields })
}

/** Adds the stored version, so that the API server refuses the write if another version is stored by then. */
function withVersion(object: object, before: unknown): object {
  const resourceVersion = textAt(before, 'metadata', 'resourceVersion')
  const metadata = valueAt(object, 'metadata')
  return resourceVersion === undefined ? object : { ...object, metadata: { ...Object(metadata), resourceVersion } }
}

async function deleteResource(
  place: ResourcePlace,
  version: string | undefined,
  { requests, mode, seen }: ClusterDependencies,
): Promise<Answer<DeletedAnswer, FailureOf<'deleteResource'>>> {
  if (mode !== 'Edit') return failed('READ_ONLY_MODE', READ_ONLY)
  const found = await requests.get(place)
  if (found.kind === 'failed') return found
  if (found.kind === 'missing') return failed('NOT_FOUND', 'There is no such resource.')
  if (version !== undefined && !seen.isSame(version, found.object)) return failed('RESOURCE_CHANGED', CHANGED)
  const removed = await requests.remove(place, textAt(found.object, 'metadata', 'uid') ?? '')
  return removed.kind === 'failed' ? removed : answered({ place })
}
