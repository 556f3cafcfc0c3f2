import { VERSION_ANNOTATION } from '@llm-gateway/crds'
import { conditionAt, type KubeAnswer, type KubeRequest, textAt } from '@llm-gateway/kube'
import { reasonToKeep } from './reason-to-keep.ts'

/** The outcome for one CRD, as a text. `isFine`: the operator can work with the CRD that is stored now. */
export type DefinitionOutcome = { readonly isFine: boolean; readonly text: string }

export type DefinitionApplier = {
  request(call: KubeRequest): Promise<KubeAnswer>
  /** Waits before the next try; resolves false when the time is over. */
  pause(): Promise<boolean>
}

const COLLECTION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const CONFLICT = 409
/**
 * The field manager is helm's: helm applies the chart's CRDs at each install and would conflict with any other name.
 */
const MANAGER = 'helm'

/**
 * Applies one CRD unless the stored CRD has to stay, and waits until it is served. Each write names the version that it
 * was decided on, so that no newer version is replaced.
 */
export async function applyDefinition(applier: DefinitionApplier, ours: object): Promise<DefinitionOutcome> {
  const name = textAt(ours, 'metadata', 'name') ?? ''
  const path = `${COLLECTION}/${encodeURIComponent(name)}`
  for (;;) {
    const written = await writeOnce(applier, path, ours)
    if (written.kind === 'again') {
      if (await applier.pause()) continue
      return { isFine: false, text: `${name}: ${written.why}` }
    }
    if (written.kind === 'failed') return { isFine: false, text: `${name}: ${written.why}` }
    const unserved = await unservedCause(applier, path)
    if (unserved === undefined) return { isFine: true, text: `${name}: ${written.text}` }
    return { isFine: false, text: `${name}: ${written.text}, but not served: ${unserved}` }
  }
}

type WrittenDefinition =
  | { readonly kind: 'settled'; readonly text: string }
  | { readonly kind: 'again'; readonly why: string }
  | { readonly kind: 'failed'; readonly why: string }

async function writeOnce({ request }: DefinitionApplier, path: string, ours: object): Promise<WrittenDefinition> {
  const found = await request({ method: 'GET', path })
  if (found.status !== 200 && found.status !== 404) return { kind: 'failed', why: refusalOf(found) }
  const live = found.status === 404 ? undefined : found.body
  if (textAt(live, 'metadata', 'deletionTimestamp') !== undefined)
    return { kind: 'again', why: 'the CRD is being deleted' }
  const stays = live === undefined ? undefined : reasonToKeep(live, ours)
  if (stays !== undefined) return { kind: 'settled', text: `stays as it is: ${stays}` }
  const resourceVersion = textAt(live, 'metadata', 'resourceVersion')
  // A new CRD isn't forced: where somebody made the CRD since the GET, the API server answers 409.
  const answer = await request({
    method: 'PATCH',
    path: `${path}?fieldManager=${MANAGER}&force=${live !== undefined}`,
    contentType: 'application/apply-patch+yaml',
    body: resourceVersion === undefined ? ours : withVersion(ours, resourceVersion),
  })
  if (answer.status === CONFLICT) return { kind: 'again', why: 'another program changes the CRD again and again' }
  if (answer.status >= 300) return { kind: 'failed', why: refusalOf(answer) }
  return { kind: 'settled', text: changeText(live, answer.body) }
}

function withVersion(ours: object, resourceVersion: string): object {
  const metadata = 'metadata' in ours && typeof ours.metadata === 'object' ? ours.metadata : {}
  return { ...ours, metadata: { ...metadata, resourceVersion } }
}

function changeText(live: unknown, after: unknown): string {
  const version = textAt(after, 'metadata', 'annotations', VERSION_ANNOTATION)
  if (live === undefined) return `made, ${version}`
  const isSame = textAt(live, 'metadata', 'resourceVersion') === textAt(after, 'metadata', 'resourceVersion')
  if (isSame) return `is up to date, ${version}`
  const before = textAt(live, 'metadata', 'annotations', VERSION_ANNOTATION) ?? 'no version'
  return `applied, ${before} -> ${version}`
}

/** Says why the API server doesn't serve the CRD yet; undefined: its resources can be read and written. */
async function unservedCause({ request, pause }: DefinitionApplier, path: string): Promise<string | undefined> {
  for (;;) {
    const { status, body } = await request({ method: 'GET', path })
    const isServed = status === 200 && conditionAt(body, 'Established')?.status === 'True'
    if (isServed && conditionAt(body, 'NamesAccepted')?.status === 'True') return undefined
    if (await pause()) continue
    const names = conditionAt(body, 'NamesAccepted')
    return names?.status === 'False' ? names.reason : 'the CRD is not Established'
  }
}

/** Returns the API server's message or reason, whose field names help the person who installs. */
function refusalOf({ status, body }: KubeAnswer): string {
  return textAt(body, 'message') ?? textAt(body, 'reason') ?? `the API server answers ${status}`
}
