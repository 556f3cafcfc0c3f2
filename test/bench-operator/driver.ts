/**
 * Runs in the cluster's network: edits through `kubectl proxy` and calls the pods themselves. argv: a JSON plan. The
 * last line of its output is the JSON of the measurements.
 */
export type Plan =
  | {
      readonly kind: 'edits'
      readonly api: string
      /** The Router's path in the API. */
      readonly router: string
      /** A URL of that Router for each pod. */
      readonly pods: readonly string[]
      readonly edits: number
      readonly everyMs: number
    }
  | {
      readonly kind: 'updates'
      readonly api: string
      readonly router: string
      readonly secret: string
      /** Paths of pods in the API. Constant annotating makes the kubelet read their volumes whenever it can. */
      readonly pods: readonly string[]
      /** Serial of the first update. */
      readonly from: number
      readonly updates: number
      readonly everyMs: number
    }

export type EditMeasurements = {
  /** Milliseconds from an edit until it is live in every pod; undefined if a later edit overtook it. */
  readonly lagsMs: readonly (number | undefined)[]
  /** Milliseconds from the answer to the last edit until the last pod had it. */
  readonly lastLagMs: number
}

const POLL_MS = 10
const GIVE_UP_MS = 60_000
const CHANGE_EVERY_MS = 170

const plan: Plan = JSON.parse(process.argv[2] ?? '')
console.log(JSON.stringify(plan.kind === 'edits' ? await measureEdits(plan) : await update(plan)))

async function measureEdits(plan: Extract<Plan, { kind: 'edits' }>): Promise<EditMeasurements> {
  const sentAt: number[] = []
  const watches = plan.pods.map((url) => watchPod(url, plan.edits))
  for (let serial = 1; serial <= plan.edits; serial += 1) {
    const began = performance.now()
    sentAt[serial] = began
    await patch(`${plan.api}${plan.router}`, { spec: { outbound: { headers: { 'X-Serial': [String(serial)] } } } })
    await sleep(Math.max(0, began + plan.everyMs - performance.now()))
  }
  const pods = await Promise.all(watches)
  const lagsMs = sentAt.slice(1).map((sent, index) => {
    const seen = pods.map((pod) => pod.get(index + 1))
    return seen.includes(undefined) ? undefined : Math.max(...seen.map((at) => (at ?? 0) - sent))
  })
  const last = Math.max(...pods.map((pod) => pod.get(plan.edits) ?? Number.POSITIVE_INFINITY))
  return { lagsMs, lastLagMs: last - (sentAt[plan.edits] ?? 0) }
}

/** Calls a pod repeatedly. Returns the time at which each serial was first seen there. */
async function watchPod(url: string, last: number): Promise<ReadonlyMap<number, number>> {
  const seen = new Map<number, number>()
  const until = performance.now() + GIVE_UP_MS
  let giveUpAt = until
  while (!seen.has(last) && performance.now() < giveUpAt) {
    const serial = await serialOf(url)
    if (serial > 0 && !seen.has(serial)) {
      seen.set(serial, performance.now())
      giveUpAt = performance.now() + GIVE_UP_MS
    }
    await sleep(POLL_MS)
  }
  return seen
}

async function serialOf(url: string): Promise<number> {
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  const text = await answer.text()
  return answer.status === 200 ? Number(JSON.parse(text).serial) : 0
}

/** Updates the key first and then the configuration, as a person does who changes both. */
async function update(plan: Extract<Plan, { kind: 'updates' }>): Promise<object> {
  const { api, router, secret, pods, from, updates, everyMs } = plan
  const began = performance.now()
  const stop = new AbortController()
  const stirring = pods.map((pod) => changePodRepeatedly(`${api}${pod}`, stop.signal))
  for (let serial = from; serial < from + updates; serial += 1) {
    const due = performance.now() + everyMs
    await patch(`${api}${secret}`, { stringData: { key: `key-${serial}` } })
    await patch(`${api}${router}`, { spec: { outbound: { headers: { 'X-Serial': [String(serial)] } } } })
    await sleep(Math.max(0, due - performance.now()))
  }
  stop.abort()
  await Promise.all(stirring)
  return { updates, seconds: (performance.now() - began) / 1000 }
}

/** Annotates a pod repeatedly. The operator's own nudge comes only after both writes, too late to test their order. */
async function changePodRepeatedly(pod: string, signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted; count += 1) {
    await patch(pod, { metadata: { annotations: { 'test.example/stirred': String(count) } } })
    await sleep(CHANGE_EVERY_MS)
  }
}

async function patch(url: string, body: object): Promise<void> {
  const answer = await fetch(url, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify(body),
  })
  await answer.text()
  if (answer.status !== 200) throw new Error(`the API server answered ${answer.status}`)
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
