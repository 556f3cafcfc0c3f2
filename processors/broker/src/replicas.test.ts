import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BusClient, connectBusClient } from '@llm-gateway/test/fake/bus-client'
import { type NatsServer, startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { startProcessorProgram } from '@llm-gateway/test/fake/processor-program'
import type { Program } from '@llm-gateway/test/fake/program'

const SUBJECT = 'llm.gl.broker'
const DEAD = '/pool/dud/'
const CALLS = 100
/** The calls must be over long before the window ends. */
const [WINDOW_MINUTES, CALLS_IN_WINDOW] = ['0.15', 40]

async function startReplicas(server: NatsServer, minutes: string): Promise<readonly Program[]> {
  const environment = { DISABLED_TIME: minutes }
  return await Promise.all(Array.from({ length: 3 }, () => startProcessorProgram('broker', server, { environment })))
}

async function stopAll(replicas: readonly Program[]): Promise<void> {
  await Promise.all(replicas.map((replica) => replica.stop()))
}

/**
 * Makes one call through the pool like the gateway: asks for the member and reports its failure. Returns the member.
 */
async function call(bus: BusClient): Promise<string> {
  const reply = await bus.request(SUBJECT, Buffer.from('{"gl_path":"/pool/"}'))
  const { gl_path: member } = JSON.parse(Buffer.from(reply).toString())
  if (member === DEAD) await tellFailure(bus)
  return String(member)
}

async function tellFailure(bus: BusClient): Promise<void> {
  const error = [
    { name: 'outbound', details: 'UPSTREAM_REFUSED' },
    { name: 'egress_status_code', details: '502' },
  ]
  const reply = await bus.request(
    SUBJECT,
    Buffer.from(JSON.stringify({ gl_path: DEAD, egress_status_code: 502, error })),
  )
  assert.equal(Buffer.from(reply).toString(), '{}')
}

async function failuresOf(bus: BusClient, calls = CALLS): Promise<number> {
  let failures = 0
  for (let count = 0; count < calls; count++) if ((await call(bus)) === DEAD) failures += 1
  return failures
}

/** Calls until a call goes to the dead member. */
async function callUntilFailure(bus: BusClient): Promise<void> {
  for (let count = 0; count < 10_000; count++) if ((await call(bus)) === DEAD) return
  assert.fail('the dead member is never chosen')
}

/** Waits until every replica has logged a message `times` times. */
async function allHaveLogged(replicas: readonly Program[], message: string, times = 1): Promise<void> {
  const hasLogged = (lines: readonly string[]) => lines.filter((line) => line.includes(message)).length >= times
  await Promise.all(replicas.map(({ lines }) => lines.waitUntil(hasLogged, { what: message })))
}

test('three replicas, one member of three dead: one caller sees its failure in each window of DISABLED_TIME', async () => {
  await using server = await startNatsServer({ jetstream: true })
  const replicas = await startReplicas(server, WINDOW_MINUTES)
  await using bus = await connectBusClient(server)
  for (let window = 1; window <= 2; window++) {
    await callUntilFailure(bus)
    await allHaveLogged(replicas, 'sub-router disabled', window)
    assert.equal(await failuresOf(bus, CALLS_IN_WINDOW), 0)
    await allHaveLogged(replicas, 'sub-router enabled', window)
  }
  await stopAll(replicas)
})

test('sixteen parallel callers: once every replica knows of the first failure no call is sent to the dead member', async () => {
  await using server = await startNatsServer({ jetstream: true })
  const replicas = await startReplicas(server, '10')
  await using bus = await connectBusClient(server)
  const callers = Array.from({ length: 16 }, () => bus)
  await Promise.all(callers.map(callUntilFailureOrKnown))
  await allHaveLogged(replicas, 'sub-router disabled')
  const failures = await Promise.all(callers.map((caller) => failuresOf(caller, 50)))
  assert.deepEqual(new Set(failures), new Set([0]))
  await stopAll(replicas)

  /** Calls until a failure, or not at all when the first caller's failure is already known. */
  async function callUntilFailureOrKnown(caller: BusClient): Promise<void> {
    for (let count = 0; count < CALLS; count++) if ((await call(caller)) === DEAD) return
  }
})

test('disablings survive the end of all replicas and a killed bus', async () => {
  await using server = await startNatsServer({ jetstream: true })
  const before = await startReplicas(server, '10')
  const bus = await connectBusClient(server)
  await tellFailure(bus)
  await allHaveLogged(before, 'sub-router disabled')
  for (const replica of before) replica.kill('SIGKILL')
  await bus.close()
  await server.kill('SIGKILL')
  await server.restart()
  const after = await startReplicas(server, '10')
  await using later = await connectBusClient(server)
  assert.equal(await failuresOf(later), 0)
  await stopAll(after)
})

test('replicas on a bus without a store use their own state and agree when the bus gets a store', async () => {
  await using server = await startNatsServer()
  const replicas = await startReplicas(server, '10')
  const bus = await connectBusClient(server)
  await allHaveLogged(replicas, 'key-value store not available')
  await callUntilFailure(bus)
  const aware = () => replicas.filter(({ lines }) => lines.entries.some((line) => line.includes('sub-router disabled')))
  // The answer may arrive before the log line.
  while (aware().length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.equal(aware().length, 1)
  await bus.close()
  const { port, token } = server
  await server.stop()
  await using withStore = await startNatsServer({ port, token, jetstream: true })
  await allHaveLogged(replicas, 'sub-router disabled')
  await using later = await connectBusClient(withStore)
  assert.equal(await failuresOf(later), 0)
  await stopAll(replicas)
})
