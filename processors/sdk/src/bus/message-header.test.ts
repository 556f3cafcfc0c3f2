import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNatsServer } from '@llm-gateway/test/fake/nats-server'
import { headOf, manyNames, publishHead } from '@llm-gateway/test/fake/publish-head'
import { connect, headers } from 'nats'
import { findHeader, messageHeader } from './message-header.ts'

for (const [what, bytes, found] of [
  ['its only header', headOf('Wanted: 1'), '1'],
  ['a name in another case', headOf('wAnTeD: 1'), '1'],
  ['a value without white space around it', headOf('Wanted: \t 1 2  '), '1 2'],
  ['a value in UTF-8', headOf('Wanted: é'), 'é'],
  ['an empty value', headOf('Wanted:'), ''],
  ['the first of two values', headOf('Wanted: 1', 'Wanted: 2'), '1'],
  ['a header after invalid names', headOf('A B: x', ': x', 'ä: x', 'no colon', '', 'Wanted: 1'), '1'],
  ['a header after the value of another one', headOf('Other: Wanted: 2', 'Wanted: 1'), '1'],
  ['a header beside a status', Buffer.from('NATS/1.0 100 Idle\r\nWanted: 1\r\n\r\n'), '1'],
  ['a header in line 64', headOf(manyNames(62), 'Wanted: 1'), '1'],
  ['no header in line 65', headOf(manyNames(63), 'Wanted: 1'), undefined],
  ['no header beyond 8 KiB', headOf(`Long: ${'x'.repeat(8_192)}`, 'Wanted: 1'), undefined],
  ['no header that the bound of 8 KiB cuts', headOf(`Wanted: ${'1'.repeat(8_192)}`), undefined],
  ['no value with a line feed', headOf('Wanted: 1\n2'), undefined],
  ['no value with a carriage return', headOf('Wanted: 1\r2'), undefined],
  ['no name with a space before the colon', headOf('Wanted : 1'), undefined],
  ['no longer name', headOf('Wanted-Not: 1'), undefined],
  ['no header in the first line', Buffer.from('Wanted: 1\r\n\r\n'), undefined],
  ['no header in a line without an end', Buffer.from('NATS/1.0\r\nWanted: 1'), undefined],
  ['no header in bytes without a line', Buffer.from([0xff, 0xfe]), undefined],
  ['no header in no bytes', Buffer.alloc(0), undefined],
] as const) {
  test(`the reader of bus headers finds ${what}`, () => {
    assert.equal(findHeader(bytes, 'Wanted'), found)
  })
}

test('the nats package keeps the bytes of the headers where the reader looks for them', async (t) => {
  await using server = await startNatsServer()
  const connection = await connect({ servers: server.address, ...(server.token && { token: server.token }) })
  t.after(() => connection.close())
  const subscription = connection.subscribe('s')
  const fields = headers()
  fields.set('Wanted', 'by the package')
  connection.publish('s', Buffer.from('x'), { headers: fields })
  connection.publish('s', Buffer.from('Wanted: payload\r\n\r\n'))
  await connection.flush()
  // The package throws on the first one and takes minutes for the second one.
  await publishHead(server, 's', { head: headOf('A B: x', 'Wanted: after it') })
  await publishHead(server, 's', { head: headOf('Wanted: before many', manyNames(1_000_000)) })
  const found: unknown[] = []
  for await (const message of subscription) {
    found.push(messageHeader(message, 'wanted'))
    if (found.length === 4) break
  }
  assert.deepEqual(found, ['by the package', undefined, 'after it', 'before many'])
})
