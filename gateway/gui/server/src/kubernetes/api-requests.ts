import type { FailureCode, OwnedField, ResourceEvent } from '@llm-gateway/gui-api'
import {
  isObject,
  type KubeAnswer,
  listAt,
  namespacePath,
  numberAt,
  objectPath,
  TransportError,
  textAt,
  valueAt,
} from '@llm-gateway/kube'
import { type Failed, failed } from '../answer.ts'
import { bindEditRole, bindReadRole, type Owner } from './bind-commands.ts'
import type { Cluster } from './cluster.ts'
import { FIELD_MANAGER } from './thread/owned-fields.ts'
import type { ResourcePlace } from './thread/questions.ts'

export type ReadOutcome =
  | { readonly kind: 'found'; readonly object: unknown }
  | { readonly kind: 'missing' }
  | Failed<Refusal>
export type WriteOutcome<Code extends FailureCode> =
  | { readonly kind: 'written'; readonly object: unknown }
  | Failed<Refusal | 'NOT_FOUND' | Code>
type Refusal = 'FORBIDDEN' | 'NOT_VALID' | 'CLUSTER_NOT_REACHABLE'

const MOST_EVENTS = 50
const NOT_REACHABLE = 'The API server does not answer. The last known state is shown. Try again.'

/** Requests to the API server. Refusals and outages are values. */
export class ApiRequests {
  readonly #cluster: Pick<Cluster, 'request'>
  readonly #owner: Owner

  constructor(cluster: Pick<Cluster, 'request'>, owner: Owner) {
    this.#cluster = cluster
    this.#owner = owner
  }

  /** Reads a resource or the gateway's ConfigMap. */
  async get(place: {
    readonly kind: ResourcePlace['kind'] | 'ConfigMap'
    readonly namespace: string
    readonly name: string
  }): Promise<ReadOutcome> {
    const answer = await this.#ask({ method: 'GET', path: objectPath(place) })
    if (answer === undefined) return failed('CLUSTER_NOT_REACHABLE', NOT_REACHABLE)
    if (answer.status === 200) return { kind: 'found', object: answer.body }
    if (answer.status === 404) return { kind: 'missing' }
    return this.#refused(answer, bindReadRole(this.#owner, place.namespace), [])
  }

  /** Applies on the server under our own field manager, never by force. Errors are shown without the `secrets`. */
  async apply(
    place: ResourcePlace,
    object: object,
    { dryRun, secrets }: { readonly dryRun: boolean; readonly secrets: readonly string[] },
  ): Promise<WriteOutcome<'RESOURCE_CHANGED' | 'CONFLICT_OF_MANAGERS'>> {
    const query = `fieldManager=${FIELD_MANAGER}&force=false&fieldValidation=Strict${dryRun ? '&dryRun=All' : ''}`
    const answer = await this.#ask({
      method: 'PATCH',
      path: `${objectPath(place)}?${query}`,
      contentType: 'application/apply-patch+yaml',
      body: object,
    })
    if (answer?.status === 409) return conflictOf(answer.body)
    return this.#written(answer, place, secrets)
  }

  /** Deletes only the object with this uid: a new object of the same name stays. */
  async remove(place: ResourcePlace, uid: string): Promise<WriteOutcome<'RESOURCE_CHANGED'>> {
    const answer = await this.#ask({ method: 'DELETE', path: objectPath(place), body: { preconditions: { uid } } })
    if (answer?.status === 409) return failed('RESOURCE_CHANGED', CHANGED_MEANWHILE)
    return this.#written(answer, place, [])
  }

  /** Asks if the account may change a resource; undefined if the API server doesn't answer. */
  async may(verb: 'patch' | 'delete', { kind, namespace, name }: ResourcePlace): Promise<boolean | undefined> {
    const resource = namespacePath(kind, namespace).split('/').at(-1) ?? ''
    const answer = await this.#ask({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: { spec: { resourceAttributes: { verb, group: 'llmgateway.io', resource, namespace, name } } },
    })
    return answer === undefined || answer.status >= 300 ? undefined : valueAt(answer.body, 'status', 'allowed') === true
  }

  /** Reads the events of a resource, newest first; empty if events can't be read. */
  async events({ kind, namespace, name }: ResourcePlace): Promise<ResourceEvent[]> {
    const selector = `regarding.kind=${kind},regarding.name=${name}`
    const query = `fieldSelector=${encodeURIComponent(selector)}&limit=200`
    const answer = await this.#ask({ method: 'GET', path: `${namespacePath('Event', namespace)}?${query}` })
    if (answer?.status !== 200) return []
    const events = listAt(answer.body, 'items').map(eventOf)
    return events.toSorted((one, other) => ((one.time ?? '') < (other.time ?? '') ? 1 : -1)).slice(0, MOST_EVENTS)
  }

  async #ask(call: Parameters<Cluster['request']>[0]): Promise<KubeAnswer | undefined> {
    try {
      return await this.#cluster.request(call)
    } catch (error) {
      if (error instanceof TransportError) return undefined
      throw error
    }
  }

  #written(answer: KubeAnswer | undefined, place: ResourcePlace, secrets: readonly string[]): WriteOutcome<never> {
    if (answer === undefined) return failed('CLUSTER_NOT_REACHABLE', NOT_REACHABLE)
    if (answer.status < 300) return { kind: 'written', object: answer.body }
    if (answer.status === 404) return failed('NOT_FOUND', 'There is no such resource, or its namespace is missing.')
    return this.#refused(answer, bindEditRole(this.#owner, place.namespace), secrets)
  }

  #refused({ status, body }: KubeAnswer, command: string, secrets: readonly string[]): Failed<Refusal> {
    if (status === 403) {
      // Quotas and admission policies refuse with 403 too, and no role helps against these.
      const isRight = /^\S+ ".*" is forbidden: User "/.test(textAt(body, 'message') ?? '')
      if (isRight) return failed('FORBIDDEN', 'The account of the web interface has no right to do that.', { command })
      return failed('FORBIDDEN', statusMessage(body, secrets))
    }
    if (status === 400 || status === 422)
      return failed('NOT_VALID', statusMessage(body, secrets), { fields: fieldsOf(body, secrets) })
    return failed('CLUSTER_NOT_REACHABLE', `The API server answered with ${status}. Try again.`)
  }
}

/** The message for a resource that changed between the read and the write. */
export const CHANGED_MEANWHILE = 'Another client changed the resource at the same moment. Load it again.'

function conflictOf(body: unknown): Failed<'RESOURCE_CHANGED' | 'CONFLICT_OF_MANAGERS'> {
  const causes = listAt(body, 'details', 'causes').filter((cause) => textAt(cause, 'reason') === 'FieldManagerConflict')
  const managers = causes.map((cause): OwnedField => {
    const [, manager = ''] = /^conflict with "([^"]*)"/.exec(textAt(cause, 'message') ?? '') ?? []
    return { path: textAt(cause, 'field') ?? '', manager }
  })
  if (managers.length === 0) return failed('RESOURCE_CHANGED', CHANGED_MEANWHILE)
  const names = [...new Set(managers.map(({ manager }) => manager))].join(', ')
  const message = `These fields belong to ${names}. Change them there, or leave them as they are. Nothing was written.`
  return failed('CONFLICT_OF_MANAGERS', message, { managers: managers.slice(0, 100) })
}

const MOST_MESSAGE = 2_000

/** Returns the API server's message for the author of the manifest, without the literals behind masks. */
function statusMessage(body: unknown, secrets: readonly string[]): string {
  return scrubbed(textAt(body, 'message') ?? 'The API server refuses it.', secrets)
}

function fieldsOf(body: unknown, secrets: readonly string[]) {
  return listAt(body, 'details', 'causes')
    .slice(0, 20)
    .map((cause) => ({
      path: [textAt(cause, 'field') ?? ''],
      message: scrubbed(textAt(cause, 'message') ?? '', secrets),
    }))
}

function scrubbed(text: string, secrets: readonly string[]): string {
  const whole = secrets.filter((secret) => secret !== '').toSorted((one, other) => other.length - one.length)
  // The plain text of a secret and its form in a quoted message.
  const forms = whole.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
  return forms.reduce((all, secret) => all.replaceAll(secret, () => '…'), text).slice(0, MOST_MESSAGE)
}

function eventOf(event: unknown): ResourceEvent {
  const series = valueAt(event, 'series')
  const times = [
    textAt(series, 'lastObservedTime'),
    textAt(event, 'deprecatedLastTimestamp'),
    textAt(event, 'eventTime'),
    textAt(event, 'metadata', 'creationTimestamp'),
  ]
  return {
    type: textAt(event, 'type') === 'Warning' ? 'Warning' : 'Normal',
    reason: textAt(event, 'reason') ?? '',
    message: (textAt(event, 'note') ?? '').slice(0, MOST_MESSAGE),
    count: (isObject(series) ? numberAt(series, 'count') : numberAt(event, 'deprecatedCount')) ?? 1,
    time: times.find((time) => time !== undefined) ?? null,
    source: textAt(event, 'reportingController') ?? '',
  }
}
