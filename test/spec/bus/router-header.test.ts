import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ProcessorEntry, startPipelineScene } from '../../fake/pipeline-scene.ts'

// Rules: docs/reference/bus.md#request

const probe: ProcessorEntry = { name: 'probe', input_fields_include: ['ingress_payload'] }
const answered: ProcessorEntry = { name: 'answered', async: true, input_fields_include: ['egress_payload'] }
const broker: ProcessorEntry = {
  name: 'broker',
  modifier: true,
  output_fields_write: ['gl_path'],
  reply: () => ({ gl_path: '/plain/' }),
}

test('a message without gl_path names the router that the caller called, also after a re-route', async () => {
  await using scene = await startPipelineScene([
    { path: '/plain/', request: [[probe]], response: [[answered]] },
    { path: '/pool/', request: [[broker], [probe]], response: [[answered]] },
  ])
  const routersOf = async (path: string) => {
    const { calls } = await scene.ask(path)
    return calls.map(({ name, router }) => `${name} ${router}`)
  }
  assert.deepEqual(await routersOf('/plain/'), ['probe /plain/', 'answered /plain/'])
  assert.deepEqual(await routersOf('/pool/'), ['broker /pool/', 'probe /pool/', 'answered /pool/'])
})
