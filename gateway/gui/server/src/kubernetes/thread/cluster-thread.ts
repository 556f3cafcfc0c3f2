import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createLogger } from '@llm-gateway/conf'
import { customResourceDefinitions } from '@llm-gateway/crds/definitions'
import { createTransport, isObject, listAt, textAt, valueAt } from '@llm-gateway/kube'
import { runThread } from '@llm-gateway/sdk/thread'
import { clusterAccess } from '../cluster-access.ts'
import { appliedResource, applyPlan, checkManifest, shownResource } from './answer-texts.ts'
import { callerHeaders } from './caller-headers.ts'
import { clusterFacts, unreadableLists } from './cluster-facts.ts'
import { ClusterView } from './cluster-view.ts'
import { effectiveFile } from './effective-file.ts'
import { type Baseline, baselineOf } from './judge-draft.ts'
import { listRows } from './list-rows.ts'
import { type ReadManifest, readManifest } from './manifest-text.ts'
import type { ClusterAnswer, ClusterQuestion, ClusterRequest, ClusterStart } from './questions.ts'
import { resourceRouters } from './resource-routers.ts'

// This thread lists and watches the cluster and does all work on its texts, so that no manifest holds up the server.
await runThread(async (data) => {
  if (!isStart(data)) throw new TypeError('the data that started the thread is not valid')
  const transport = createTransport({ access: await clusterAccess(data) })
  const logger = createLogger({ service: 'gui' })
  const view = new ClusterView({ ...data, transport, logger })
  const baseline = rememberBaseline(view)
  const read = rememberManifest()
  return (asked) => {
    if (!isClusterRequest(asked)) throw new TypeError('the thread got a message that is no question')
    view.setNamespaces(asked.namespaces)
    return answer(asked.question, { view, baseline, read, start: data })
  }
})

/** Collects garbage: a judgement leaves as much as the Routers themselves, and V8 alone would keep the memory. */
const collect = collector()

function collector(): () => void {
  setFlagsFromString('--expose-gc')
  const found: unknown = runInNewContext('gc')
  return typeof found === 'function' ? () => void found() : () => undefined
}

type AnswerContext = {
  readonly view: ClusterView
  readonly baseline: (now: string) => Baseline | undefined
  readonly read: (text: string) => ReadManifest
  readonly start: ClusterStart
}

function answer(question: ClusterQuestion, { view, baseline, read, start }: AnswerContext): ClusterAnswer {
  const maskedHeaders = view.gateway?.spec.record?.maskedHeaders ?? []
  switch (question.kind) {
    case 'rows':
      return { kind: 'rows', value: listRows(view, question.query, unreadableLists(view, start)) }
    case 'shown':
      return { kind: 'shown', value: shownResource(question.object, view, maskedHeaders) }
    case 'place':
      return { kind: 'place', value: read(question.manifest).place }
    case 'check': {
      const now = new Date().toISOString().replace(/\.\d+/, '')
      const value = checkManifest(question, { read, baseline: baseline(now), maskedHeaders, now })
      collect()
      return { kind: 'check', value }
    }
    case 'applyPlan':
      return { kind: 'applyPlan', value: applyPlan(question, { read, maskedHeaders }) }
    case 'applied':
      return { kind: 'applied', value: appliedResource(question, maskedHeaders) }
    case 'file':
      return { kind: 'file', value: effectiveFile(question.configMap) }
    case 'routers':
      return { kind: 'routers', value: resourceRouters(view, maskedHeaders) }
    case 'callers':
      return { kind: 'callers', value: callerHeaders(view, question.path, maskedHeaders) }
    case 'cluster':
      return { kind: 'cluster', value: clusterFacts(view, start) }
    case 'schema':
      return { kind: 'schema', value: schemaOf(question.of) }
    default:
      return question satisfies never
  }
}

/** Returns a function that judges each state of the cluster once. */
function rememberBaseline(view: ClusterView): (now: string) => Baseline | undefined {
  let known: { readonly revision: number; readonly baseline: Baseline | undefined } | undefined
  return (now) => {
    if (known?.revision === view.revision) return known.baseline
    const { revision, resources } = view
    const baseline = resources === undefined ? undefined : baselineOf(resources, now)
    known = { revision, baseline }
    return baseline
  }
}

/**
 * Returns a function that remembers the last manifest. Each is asked for twice, for its name and for its content, and a
 * megabyte of YAML takes seconds.
 */
function rememberManifest(): (text: string) => ReadManifest {
  let last: { readonly text: string; readonly manifest: ReadManifest } | undefined
  return (text) => {
    if (last?.text !== text) last = { text, manifest: readManifest(text) }
    return last.manifest
  }
}

/** Returns the schema of a CRD as a JSON Schema for editors. */
function schemaOf(kind: string): Readonly<Record<string, unknown>> {
  const found = customResourceDefinitions().find((definition) => textAt(definition, 'spec', 'names', 'kind') === kind)
  const [version] = listAt(found, 'spec', 'versions')
  const schema = valueAt(version, 'schema', 'openAPIV3Schema')
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...(isObject(schema) ? schema : {}) }
}

/** Start and requests come only from this program's main thread. */
function isStart(data: unknown): data is ClusterStart {
  return isObject(data) && typeof data.namespace === 'string' && typeof data.gateway === 'string'
}

function isClusterRequest(value: unknown): value is ClusterRequest {
  return isObject(value) && Array.isArray(value.namespaces) && isObject(value.question)
}
