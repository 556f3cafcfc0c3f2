import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Component } from '../model/kube-object.ts'
import { type RemovalFacts, removalDelayMs } from './removal-delay.ts'

// Rules: docs/reference/kubernetes.md#processors

const moment: RemovalFacts = { rolledOut: false, unwantedMs: 0, releasedMs: undefined }

const cases: readonly (readonly [string, Component, Partial<RemovalFacts>, number | undefined])[] = [
  ['a sink is deleted at once', 'sink', {}, 0],
  ['the bus waits for pods of the old template', 'bus', {}, undefined],
  ['the bus is deleted when the pods of the old template are gone', 'bus', { rolledOut: true }, 0],
  ['a processor stays while a pod may call it', 'processor', {}, 60_000],
  ['a processor stays for 60 s at most', 'processor', { unwantedMs: 61_000 }, 0],
  [
    'a processor stays for 5 s after all pods have the new configuration, for calls that began before',
    'processor',
    { releasedMs: 0 },
    5_000,
  ],
  [
    'a processor is deleted 5 s after all pods have the new configuration',
    'processor',
    { unwantedMs: 5_000, releasedMs: 5_000 },
    0,
  ],
  [
    'a processor is deleted after 60 s at most, whenever the pods got the new configuration',
    'processor',
    { unwantedMs: 58_000, releasedMs: 1_000 },
    2_000,
  ],
]
for (const [title, component, more, expected] of cases) {
  test(title, () => assert.equal(removalDelayMs(component, { ...moment, ...more }), expected))
}
