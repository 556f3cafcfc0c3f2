import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Component } from '../model/kube-object.ts'
import { type RemovalMoment, removalDelayMs } from './removal-delay.ts'

// Rules: docs/reference/kubernetes.md#processors

const moment: RemovalMoment = { rolledOut: false, unwantedMs: 0, releasedMs: undefined }

const cases: readonly (readonly [string, Component, Partial<RemovalMoment>, number | undefined])[] = [
  ['a sink goes at once', 'sink', {}, 0],
  ['the bus waits for pods of the old template', 'bus', {}, undefined],
  ['the bus goes when they are gone', 'bus', { rolledOut: true }, 0],
  ['a processor stays while a pod may call it', 'processor', {}, 60_000],
  ['a processor stays for 60 s at most', 'processor', { unwantedMs: 61_000 }, 0],
  ['calls that began before pass', 'processor', { releasedMs: 0 }, 5_000],
  ['after that it goes', 'processor', { unwantedMs: 5_000, releasedMs: 5_000 }, 0],
  ['neither makes it longer than 60 s', 'processor', { unwantedMs: 58_000, releasedMs: 1_000 }, 2_000],
]
for (const [title, component, more, expected] of cases) {
  test(title, () => assert.equal(removalDelayMs(component, { ...moment, ...more }), expected))
}
