import { type KubeScene, OBSERVER_NAMESPACE } from './kube-scene.ts'

export type CurlAnswer = {
  readonly status: number
  readonly body: string
  /** The gateway's error code for a failed LLM API; empty if there is none. */
  readonly gatewayError: string
}

/** POSTs JSON inside the cluster: with curl in its network, or from the observer's pod in a foreign cluster. */
export async function curl(
  { cluster }: KubeScene,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<CurlAnswer> {
  const all = { 'Content-Type': 'application/json', ...headers }
  const body = '{"messages":[{"role":"user","content":"Hi"}]}'
  const given = Object.entries(all).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const argv = ['curl', '-sS', '-m', '60', '-w', '\n%{http_code} %header{gateway-error}', ...given, '-d', body, url]
  const script = `const a=await fetch(${JSON.stringify(url)},{method:'POST',headers:${JSON.stringify(all)},body:${JSON.stringify(body)}});console.log((await a.text())+'\\n'+a.status+' '+(a.headers.get('gateway-error')??''))`
  const { code, stdout, stderr } =
    cluster.nodeAddress === ''
      ? await cluster.kubectl([
          '-n',
          OBSERVER_NAMESPACE,
          'exec',
          'deploy/observer',
          '--',
          'node',
          '--input-type=module',
          '-e',
          script,
        ])
      : await cluster.exec(argv)
  if (code !== 0) throw new Error(`no answer of ${url}: ${stderr}`)
  const lines = stdout.trimEnd().split('\n')
  const [status = '', gatewayError = ''] = (lines.at(-1) ?? '').split(' ')
  return { status: Number(status), body: lines.slice(0, -1).join('\n'), gatewayError }
}
