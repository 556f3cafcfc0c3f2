import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fingerprint, programFiles } from './program-files.ts'
import { type Recipe, recipes } from './recipes.ts'

const VERSIONS = {
  kubernetes: '1.35.4',
  etcd: '3.6.14',
  coredns: '1.15.0',
  helm: '4.3.1',
  helm3: '3.22.0',
  'kube-score': '1.20.0',
}

function recipe(name: Recipe['name'], versions = VERSIONS): Recipe {
  const found = recipes(versions).find((candidate) => candidate.name === name)
  assert.ok(found !== undefined)
  return found
}

test('Kubernetes comes with its staging modules in the version that belongs to it', () => {
  const { module, linker } = recipe('kubelite')
  assert.match(module, /^require k8s\.io\/kubernetes v1\.35\.4$/m)
  assert.match(module, /^replace k8s\.io\/client-go => k8s\.io\/client-go v0\.35\.4$/m)
  assert.equal(module.match(/^replace /gm)?.length, 31)
  assert.match(linker, /-X k8s\.io\/component-base\/version\.gitVersion=v1\.35\.4 /)
  assert.match(linker, /-X k8s\.io\/client-go\/pkg\/version\.gitMinor=35 /)
})

test('the slowest program is built first, and the API server’s programs before the others', () => {
  assert.deepEqual(
    recipes(VERSIONS).map(({ name }) => name),
    ['kubelite', 'etcd', 'coredns', 'pause', 'helm', 'helm3', 'kube-score'],
  )
})

test('another version or another source gives another fingerprint', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'recipes-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const place = programFiles(folder, 'etcd')
  const once = fingerprint(recipe('etcd'), place)
  assert.equal(fingerprint(recipe('etcd'), place), once)
  assert.notEqual(fingerprint(recipe('etcd', { ...VERSIONS, etcd: '3.6.15' }), place), once)
  const source = join(folder, 'main.go')
  copyFileSync(place.source, source)
  assert.equal(fingerprint(recipe('etcd'), { ...place, source }), once)
  writeFileSync(source, 'package main\n')
  assert.notEqual(fingerprint(recipe('etcd'), { ...place, source }), once)
  // A program of a module has no source here.
  const helm = programFiles(folder, 'helm')
  assert.notEqual(fingerprint(recipe('helm', { ...VERSIONS, helm: '4.3.2' }), helm), fingerprint(recipe('helm'), helm))
})
