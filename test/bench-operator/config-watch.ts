import { Agent, request } from 'node:https'
import { createInterface } from 'node:readline'
import { gunzipSync } from 'node:zlib'
import type { ApiServer } from '../fake/api-server.ts'

export type ConfigVersion = { readonly at: number; readonly text: string }

export type ConfigWatch = {
  /** The latest configuration. */
  readonly last: ConfigVersion | undefined
  /** Resolves with the first past or future configuration that matches. */
  first(matches: (text: string) => boolean): Promise<ConfigVersion>
  close(): void
}

/** Follows a gateway's ConfigMap by a watch, as the kubelet does. Times are on performance.now(). */
export function watchConfig(server: ApiServer, namespace: string, gateway: string): ConfigWatch {
  const agent = new Agent({ ca: server.authority })
  const path = `/api/v1/namespaces/${namespace}/configmaps?watch=1&fieldSelector=metadata.name%3D${gateway}-config`
  const wanted = new Set<(seen: ConfigVersion) => void>()
  let last: ConfigVersion | undefined
  const call = request(
    new URL(path, server.url),
    { agent, headers: { authorization: `Bearer ${server.token}` } },
    (answer) => {
      const lines = createInterface({ input: answer })
      // The server may end first, or `close` ends the watch.
      lines.on('error', () => undefined)
      lines.on('line', (line) => {
        const at = performance.now()
        const { object } = JSON.parse(line)
        last = { at, text: textOf(object) }
        for (const tell of wanted) tell(last)
      })
    },
  )
  call.on('error', (error) => {
    if (!call.destroyed) throw error
  })
  call.end()
  return {
    get last() {
      return last
    },
    first: (matches) =>
      new Promise((resolve) => {
        const tell = (seen: ConfigVersion): void => {
          if (!matches(seen.text)) return
          wanted.delete(tell)
          resolve(seen)
        }
        wanted.add(tell)
        if (last !== undefined) tell(last)
      }),
    close: () => {
      call.destroy()
      agent.destroy()
    },
  }
}

type Packed = { readonly data?: Record<string, string>; readonly binaryData?: Record<string, string> }

function textOf({ data = {}, binaryData = {} }: Packed): string {
  const [packed] = Object.values(binaryData)
  return packed === undefined ? (data['gl_config.json'] ?? '') : gunzipSync(Buffer.from(packed, 'base64')).toString()
}
