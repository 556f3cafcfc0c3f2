import { type KubeScene, OBSERVER_NAMESPACE } from './kube-scene.ts'

export type WebAnswer = { readonly status: number; readonly body: ReturnType<typeof JSON.parse> }

/** A request to the web interface, sent from a pod of another namespace. */
export type WebCall = { readonly method: string; readonly path: string; readonly body?: object }

/** Sends calls with GUI_SECRET, one after another. Returns the answers; a body that is not JSON stays a text. */
export async function askWebInterface(
  scene: KubeScene,
  { url, secret, calls }: { readonly url: string; readonly secret: string; readonly calls: readonly WebCall[] },
): Promise<readonly WebAnswer[]> {
  const script = `
    const answers = []
    for (const { method, path, body } of ${JSON.stringify(calls)}) {
      const headers = { authorization: 'Bearer ${secret}', ...(body ? { 'content-type': 'application/json' } : {}) }
      const answer = await fetch('${url}' + path, { method, headers, body: body && JSON.stringify(body) })
      const text = await answer.text()
      let read = text
      try { read = JSON.parse(text) } catch {}
      answers.push({ status: answer.status, body: read })
    }
    console.log(JSON.stringify(answers))`
  return JSON.parse(await runNodeScript(scene, ['-n', OBSERVER_NAMESPACE, 'exec', 'deploy/observer'], script))
}

export type WatchedCall = {
  /** Events of the tried call, in order. */
  readonly tried: readonly ReturnType<typeof JSON.parse>[]
  /** The call's row in the live list, and the rows of the history below. */
  readonly live: ReturnType<typeof JSON.parse>
  readonly history: ReturnType<typeof JSON.parse>
  readonly record: ReturnType<typeof JSON.parse>
}

/**
 * Tries a call like the page until one is seen live, then finds it in the history. Runs in a pod of another namespace.
 */
export async function watchTriedCall(
  scene: KubeScene,
  { url, secret, call }: { readonly url: string; readonly secret: string; readonly call: object },
): Promise<WatchedCall> {
  const script = `
    const authorization = 'Bearer ${secret}'
    const ask = (path, options = {}) =>
      fetch('${url}/api/v1/' + path, { ...options, headers: { authorization, 'content-type': 'application/json' } })
    const eventsOf = async (answer, take) => {
      if (answer.status !== 200) throw new Error(answer.status + await answer.text())
      let text = ''
      for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
        text += piece
        const parts = text.split('\\n\\n')
        text = parts.pop()
        for (const part of parts) if (part.startsWith('event: ')) take(JSON.parse(part.slice(part.indexOf('\\ndata: ') + 7)))
      }
    }
    const rows = new Map()
    const leaving = new AbortController()
    const looking = await ask('transactions/live', { signal: leaving.signal })
    eventsOf(looking, ({ event, transactions }) => {
      if (event === 'transactions') for (const row of transactions) rows.set(row.transaction_id, row)
    }).catch(() => undefined)
    const until = Date.now() + 60_000
    let tried = [], live
    // The live stream has only calls that end after it was opened.
    while (live === undefined && Date.now() < until) {
      tried = []
      await eventsOf(await ask('try', { method: 'POST', body: ${JSON.stringify(JSON.stringify(call))} }), (event) => tried.push(event))
      const id = tried[0]?.transaction_id
      for (let look = 0; look < 20 && live === undefined; look += 1) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        live = rows.get(id)
      }
    }
    leaving.abort()
    const history = await (await ask('transactions?session=' + live?.transaction_id)).json()
    const record = await (await ask('transactions/' + live?.id)).json()
    console.log(JSON.stringify({ tried, live, history, record }))`
  return JSON.parse(await runNodeScript(scene, ['-n', OBSERVER_NAMESPACE, 'exec', 'deploy/observer'], script))
}

/** Runs a script in the pod of `where`. Returns its output. */
export function runNodeScript(scene: KubeScene, where: readonly string[], script: string): Promise<string> {
  return scene.kubectl([...where, '--', 'node', '--input-type=module', '-e', script])
}

/** A script for the web interface's own pod: prints the rights of its token, its user, and if it can write a file. */
export const POD_RIGHTS_SCRIPT = `
  import { readFileSync, writeFileSync } from 'node:fs'
  import { request } from 'node:https'
  import { env } from 'node:process'
  const folder = '/var/run/secrets/kubernetes.io/serviceaccount/'
  const [token, ca, namespace] = ['token', 'ca.crt', 'namespace'].map((name) => readFileSync(folder + name, 'utf8'))
  const ask = (method, path, body) => new Promise((resolve, reject) => {
    const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env
    const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/merge-patch+json' }
    const sent = request({ host, port, path, method, ca, headers }, (answer) => { answer.resume(); resolve(answer.statusCode) })
    sent.once('error', reject)
    sent.end(body)
  })
  const written = ['/app/a', '/tmp/a', '/etc/llm-gateway/a'].filter((file) => {
    try { writeFileSync(file, ''); return true } catch { return false }
  })
  const own = '/apis/llmgateway.io/v1alpha1/namespaces/' + namespace
  console.log(JSON.stringify({
    user: process.getuid(),
    written,
    reads: await ask('GET', own + '/routers'),
    secret: await ask('GET', '/api/v1/namespaces/' + namespace + '/secrets/main-web'),
    patches: await ask('PATCH', own + '/routers/standard', '{"metadata":{"labels":{"a":"b"}}}'),
    removes: await ask('DELETE', own + '/llmgateways/main'),
  }))`
