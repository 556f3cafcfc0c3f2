import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { CHECKOUT, runInNetwork, whyNoNetwork } from '../starting/started-under-test.ts'
import { composeProject, SECRETS, serviceOf, WITH, whyNoCompose } from './compose-config-under-test.ts'

const GIVEN = { ...SECRETS, AISERVICE_API_BASE: 'https://llm.example' }

suite('the files of Compose', { skip: whyNoCompose }, () => {
  for (const [name, beside] of Object.entries(WITH))
    test(`Compose accepts compose.yaml with ${name}, and the gateway has no more rights than it needs`, async () => {
      const project = await composeProject(beside, GIVEN)
      const gateway = serviceOf(project, 'gateway')
      assert.equal(gateway.read_only, true)
      assert.deepEqual(gateway.cap_drop, ['ALL'])
      assert.deepEqual(
        gateway.volumes?.map(({ target }) => target),
        ['/app/conf', '/app/log', '/app/state'],
      )
      const open = Object.values(project.services).flatMap(({ ports = [] }) => ports)
      assert.deepEqual(
        open.filter(({ host_ip }) => host_ip !== '127.0.0.1').map(({ published }) => published),
        ['5380', '4222'],
      )
      for (const { image } of Object.values(project.services))
        assert.match(image, /:v?\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?$/)
      for (const { type, source } of Object.values(project.services).flatMap(({ volumes = [] }) => volumes))
        if (type === 'bind') assert.ok(existsSync(source), source)
    })

  for (const name of ['NATS_TOKEN', 'GUI_SECRET', 'AISERVICE_API_BASE', 'GRAFANA_PASSWORD'] as const)
    test(`without ${name} nothing starts, and Compose names the variable`, async () => {
      const { [name]: _, ...others } = GIVEN
      await assert.rejects(composeProject(WITH.prometheus, others), new RegExp(`${name} is missing a value`))
    })

  test('the image has this version unless LLM_GATEWAY_IMAGE names another', async () => {
    const { version } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
    const project = await composeProject([], GIVEN)
    for (const name of ['gateway', 'folders']) assert.equal(serviceOf(project, name).image, `llm-gateway:${version}`)
    const named = await composeProject([], { ...GIVEN, LLM_GATEWAY_IMAGE: 'registry.example/llm-gateway:2' })
    assert.equal(serviceOf(named, 'gateway').image, 'registry.example/llm-gateway:2')
  })

  test('the gateway of Compose serves; its records are in Elasticsearch and its metrics in Prometheus', {
    skip: whyNoNetwork(),
  }, async () => {
    await runInNetwork(join(import.meta.dirname, 'compose-start-under-test.ts'), 2)
  })
})
