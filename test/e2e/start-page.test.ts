import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { programsFolder } from '../../tools/cluster/ensure-programs.ts'
import { whyNoHelm } from '../../tools/helm/helm.ts'
import { whyNoCluster } from '../fake/cluster.ts'
import { type KubeScene, startBareScene } from './kube-scene.ts'

// Rules: docs/start/kubernetes.md#on-kubernetes

const ROOT = join(import.meta.dirname, '../..')
const FOLLOW_MS = 600_000
const BLOCK = /^```(sh|yaml resource)\n([\s\S]*?)^```$/gm

/**
 * Stands for a person who waits until a port-forward listens, and whose port-forwards end with the terminal. Their
 * output would keep this script's output open.
 */
const PERSON = `set -e
forwards=$(mktemp)
trap 'jobs -p >"$forwards"; kill $(cat "$forwards") || true; rm "$forwards"' EXIT
curl() { until command curl -sS "$@"; do sleep 1; done; echo; }
kubectl() {
  case "$*" in
    *port-forward*) exec kubectl "$@" >/dev/null 2>&1 ;;
    *) command kubectl "$@" ;;
  esac
}
`

const skip = whyNoCluster(process.env) || (process.env.CI === 'true' ? false : (whyNoHelm(ROOT) ?? false))

describe('the page for the first hour on Kubernetes', { skip }, () => {
  let scene: KubeScene
  before(async () => {
    scene = await startBareScene(process.env)
  })
  after(() => scene?.close())

  test('its commands run one after the other as they are written, and show what the page says', async () => {
    const { code, stdout, stderr } = await scene.cluster.exec(['sh', '-c', `cd ${ROOT}\n${PERSON}${script()}`], {
      timeoutMs: FOLLOW_MS,
      environment: {
        PATH: `${programsFolder(ROOT)}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
      },
    })
    assert.equal(code, 0, `${stdout}${stderr}`)
    assert.match(stdout, /This is a demo answer/)
    assert.match(stdout, /^team-a +router\S+\/chat +main +\/team-a\/chat\/ +True /m)
    const records = stdout.split('\n').filter((line) => line.includes('"gl_path":"/team-a/chat/"'))
    assert.ok(records.length >= 2, `of the bus and of the sink: ${stdout}`)
    for (const record of records) assert.equal(JSON.parse(record).error_type, 'provider_connect')
    assert.equal((await scene.kubectl(['get', 'namespaces', 'llm', 'team-a', '--ignore-not-found'])).trim(), '')
    assert.doesNotMatch(await scene.kubectl(['get', 'crds']), /llmgateway/)
  })
})

/** Returns the blocks of the page as one script, without those that load the image. */
function script(): string {
  const page = readFileSync(join(ROOT, 'docs/start/kubernetes.md'), 'utf8')
  const blocks = [...page.slice(page.indexOf('## Install')).matchAll(BLOCK)]
  assert.ok(blocks.length >= 9, `${blocks.length} blocks`)
  return blocks.map(([, kind = '', text = '']) => (kind === 'sh' ? typed(text) : applied(text))).join('')
}

function applied(text: string): string {
  return `kubectl apply -f - <<'END'\n${text}END\n`
}

/** The sink that a block reads needs some seconds for its start. */
function typed(text: string): string {
  return text.startsWith('kubectl -n llm exec ') ? `until ${text.trimEnd()}; do sleep 1; done\n` : text
}
