import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { BucketFollower, type FollowOptions } from './bucket-follower.ts'
import { openedBucket, PATIENT } from './key-value-under-test.ts'

test('a follower that ended before its consumer was made leaves no reader of the consumer', async () => {
  await using server = await startNatsServer({ jetstream: true })
  await using opened = await openedBucket(server)
  const js = opened.connection.jetstream(PATIENT)
  const jsm = await js.jetstreamManager()
  const kv = await js.views.kv('llm_test')
  const late = Promise.withResolvers<void>()
  // The bus answers after the limit of `ask`.
  const ask: FollowOptions['bucket']['ask'] = async (operation) => {
    operation({ kv, js, jsm }).then(() => late.resolve(), late.reject)
    return { kind: 'silent', reason: 'failed' }
  }
  const ended = Promise.withResolvers<void>()
  const bucket = { stream: 'KV_llm_test', prefix: '$KV.llm_test.', ask }
  new BucketFollower({ bucket, receive: () => undefined, complete: () => undefined, ended: ended.resolve })
  await ended.promise
  await late.promise
  await opened.connection.flush()
  const [consumer] = await jsm.consumers.list('KV_llm_test').next()
  assert.equal(consumer?.num_waiting, 0)
})
