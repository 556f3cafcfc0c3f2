/** Makes etcd forget every revision but the last. */
export async function compactEtcd(port: number): Promise<void> {
  const base = `http://127.0.0.1:${port}/v3/kv`
  const range = await post(`${base}/range`, { key: Buffer.from('/').toString('base64') })
  await post(`${base}/compaction`, { revision: range.header.revision, physical: true })
}

async function post(url: string, body: Readonly<Record<string, unknown>>) {
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`etcd: ${answer.status} ${await answer.text()}`)
  return JSON.parse(await answer.text())
}
