// Runs in a process and a network of its own: the shipped files name fixed ports.
// argv: LIBRARY, which makes folders behave like shares.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { Journal } from '@llm-gateway/test/fake/journal'
import { startLlm } from '@llm-gateway/test/fake/llm'
import { type Program, startProgram, waitForLine } from '@llm-gateway/test/fake/program'
import {
  assertQuiet,
  CHECKOUT,
  callGateway,
  endedAsContainer,
  runAsContainer,
  sharesWith,
  until,
} from '../starting/started-under-test.ts'
import { type ComposeService, composeProject, SECRETS, serviceOf, WITH } from './compose-config-under-test.ts'

const LIBRARY = process.argv[2] ?? ''
const CALL = '/service/standard/v1/chat/completions'
/** Installed by tools/prometheus; without it Prometheus' scrape isn't tested here. */
const PROMETHEUS = join(CHECKOUT, '.tools/prometheus/usr/bin/prometheus')

test('compose.yaml alone: the web interface is there, and the health check says that calls are taken', async () => {
  await using llm = await startLlm()
  await using shares = await sharesWith(undefined)
  const place = { root: shares.path, library: LIBRARY }
  const project = await composeProject(WITH.nothing, { ...SECRETS, AISERVICE_API_BASE: llm.url })
  const gateway = serviceOf(project, 'gateway')
  await using program = await runService(place, gateway, {})
  assert.equal((await callGateway(CALL)).status, 200)
  const [kind, ...check] = gateway.healthcheck?.test ?? []
  assert.equal(kind, 'CMD')
  assert.deepEqual(await endedAsContainer(place, check), { code: 0, said: '' })
  // A checkout may have no page yet; the interface then says that the page is being built.
  await until(
    'the web interface',
    async () => (await fetch('http://127.0.0.1:8080/login').catch(noAnswer)) !== undefined,
  )
  assertQuiet(program)
  assert.equal((await program.stop()).code, 0)
})

test('with Elasticsearch and Prometheus: a call is a document of the index and counts in the metrics', async () => {
  await using llm = await startLlm()
  await using shares = await sharesWith(undefined)
  await using elastic = await startElastic()
  const given = { ...SECRETS, AISERVICE_API_BASE: llm.url }
  const gateway = serviceOf(await composeProject(WITH.elasticsearch, given), 'gateway')
  assert.equal(gateway.environment?.ELASTIC_URL, 'http://elasticsearch:9200')
  await using program = await runService({ root: shares.path, library: LIBRARY }, gateway, { ELASTIC_URL: elastic.url })
  assert.equal((await callGateway(CALL)).status, 200)
  await elastic.documents.waitForCount(1)
  assert.match(elastic.documents.entries[0] ?? '', /"gl_path":"\/service\/standard\/"/)
  const { configs } = await composeProject(WITH.prometheus, given)
  if (existsSync(PROMETHEUS)) await assertScraped(shares.path, configs?.prometheus?.content ?? '')
  assertQuiet(program)
  assert.equal((await program.stop()).code, 0)
})

async function runService(
  place: { readonly root: string; readonly library: string },
  { command, environment }: ComposeService,
  inPlaceOfNames: Readonly<Record<string, string>>,
): Promise<Program> {
  // The image's entry point.
  const whole = ['/usr/bin/node', ...(command ?? [])]
  const program = await runAsContainer(place, { command: whole, environment: { ...environment, ...inPlaceOfNames } })
  await waitForLine(program, /"all services healthy"/, 120_000)
  return program
}

/** Starts a fake Elasticsearch that answers to each stored document. */
async function startElastic() {
  const documents = new Journal<string>()
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    // The only waiting record is sent to `_doc`, not to `_bulk`.
    if (!request.url?.startsWith('/llm-gateway/_doc/')) return response.writeHead(404).end()
    documents.add(body)
    return response.writeHead(201).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    documents,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Runs a real Prometheus with Compose's file, in the gateway's network as in Compose. */
async function assertScraped(folder: string, content: string): Promise<void> {
  const file = join(folder, 'prometheus.yml')
  await writeFile(file, content.replace('15s', '1s'))
  const args = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'series')}`]
  await using _prometheus = await startProgram({ command: PROMETHEUS, args })
  const query = 'llm_gateway_requests_total{namespace="compose",gateway="llm-gateway",router="/service/standard/"}'
  const url = `http://127.0.0.1:9090/api/v1/query?query=${encodeURIComponent(query)}`
  await until('the call to count in Prometheus', async () => {
    const answer = await fetch(url).catch(noAnswer)
    return /"value":\[[\d.]+,"1"\]/.test((await answer?.text()) ?? '')
  })
}

/** The server is still starting. */
function noAnswer(): undefined {
  return undefined
}
