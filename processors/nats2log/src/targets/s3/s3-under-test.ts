import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { journalLogger } from '@llm-gateway/sdk/journal-logger-under-test'
import { listenUntilEnd } from '@llm-gateway/test/fake/listen'
import { BackOff } from '../../delivery/back-off.ts'
import { deliver } from '../../delivery/deliver.ts'
import { OutcomeCounts } from '../../delivery/outcome-counts.ts'
import { type Patience, Suspects } from '../../delivery/suspects.ts'
import type { SinkRecord, Writer } from '../writer.ts'

export const KEY = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  sessionToken: '',
}
const TLS = { rejectUnauthorized: true, ca: [] }

export function record(id: string, start: string, text = '') {
  return { id, bytes: Buffer.from(JSON.stringify({ id, ingress_egress_timer: { start }, text })) }
}

/** Returns records of one hour, each with so many random bytes, which can't be compressed. */
export function numbered(count: number, bytes = 0) {
  return Array.from({ length: count }, (_, n) => record(String(n), '2026-11-22T09:00:00Z', random(bytes)))
}

export function random(bytes: number): string {
  return randomBytes(bytes).toString('base64')
}

export function place(url: string) {
  return { url: new URL(url), bucket: 'calls', region: 'us-east-1', key: KEY, tls: TLS, now: Date.now }
}

/** Returns a delivery whose waits take no time; it fails after 200 waits. */
export function delivery(writer: Writer, patience?: Patience) {
  const now = () => 0
  const backOff = new BackOff(now, () => 1)
  const suspects = new Suspects({ backOff, now, ...(patience === undefined ? {} : { patience }) })
  const delivered: string[] = []
  const refused: string[] = []
  const postponed: string[] = []
  let waits = 0
  const run = (records: readonly SinkRecord[]) =>
    deliver(records, {
      writer,
      counts: new OutcomeCounts(journalLogger().logger),
      delivered: (one) => {
        suspects.settled(one)
        delivered.push(one.id ?? '')
      },
      refuse: async (one, code) => {
        suspects.settled(one)
        return refused.push(`${one.id} ${code}`) > 0
      },
      postpone: ({ id = '' }) => postponed.push(id),
      signal: new AbortController().signal,
      backOff,
      suspects,
      now,
      wait: async () => {
        waits += 1
        assert.ok(waits < 200)
        return true
      },
    })
  return { delivered, refused, postponed, run }
}

export type Put = { readonly method: string; readonly bytes: number; readonly index: number }

/**
 * Starts a server that stores objects. By a rule it breaks the connection of a request, before it reads the body or after
 * it has stored the object. `stored` has the ids of each object by its path.
 */
export async function startBucket(t: TestContext, rule: (put: Put) => 'take' | 'break' | 'store, break' | number) {
  const stored = new Map<string, readonly string[]>()
  const seen: Put[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers, socket } = request
    const put = { method, bytes: Number(headers['content-length'] ?? 0), index: seen.length }
    seen.push(put)
    const choice = rule(put)
    if (choice === 'break') {
      socket.resetAndDestroy()
      return
    }
    const body = Buffer.concat(await request.toArray())
    const isStoring = method === 'PUT' && typeof choice === 'string'
    if (isStoring) stored.set(url, idsIn(body))
    if (choice === 'store, break') socket.resetAndDestroy()
    else response.writeHead(typeof choice === 'number' ? choice : isStoring || stored.has(url) ? 200 : 404).end()
  })
  const port = await listenUntilEnd(t, server)
  return { url: `http://127.0.0.1:${port}`, stored, seen, ids: () => [...stored.values()].flat().toSorted() }
}

export function idsIn(body: Uint8Array): readonly string[] {
  const lines = gunzipSync(body).toString().trim().split('\n')
  return lines.map((line) => JSON.parse(line).id)
}
