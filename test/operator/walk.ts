import type { Admin } from './admin.ts'
import { gatewayOf, namespaceOf, processorOf, routerOf, secretOf } from './mixed-set.ts'
import type { Random } from './random.ts'

export type Walk = {
  /** Makes the namespaces of the walk. */
  begin(): Promise<void>
  /** Changes one resource and returns a description. */
  step(): Promise<string>
}

type Step = (walk: {
  readonly admin: Admin
  readonly random: Random
  readonly prefix: string
  readonly gatewayClass: string
}) => Promise<string>

const NAMES = ['a', 'b', 'c', 'd', 'e']
const TEAMS = ['llm', 'team']
const KEYS = ['azure', 'azure', 'other', 'other', 'absent']
const ODD_URLS = ['https://other.example/v1', '${BASE}', '${NOWHERE}', 'https://user:x@res.example/']

/** Creates a random walk over the resources of two namespaces. Most changes are valid, some are not. */
export function createWalk(
  admin: Admin,
  random: Random,
  place: { readonly prefix: string; readonly gatewayClass: string },
): Walk {
  const walk = { admin, random, ...place }
  return {
    begin: async () => {
      for (const team of TEAMS) await admin.apply(namespaceOf(`${place.prefix}${team}`))
      for (let count = 0; count < BEGINNING.length; count += 1) await BEGINNING[count]?.(walk)
    },
    step: async () => {
      const at = random.below(STEPS.reduce((sum, [weight]) => sum + weight, 0))
      let passed = 0
      const step = STEPS.find(([weight]) => {
        passed += weight
        return at < passed
      })
      return step === undefined ? 'nothing' : step[1](walk)
    },
  }
}

const applyRouter: Step = async ({ admin, random, prefix }) => {
  const team = random.pick(TEAMS)
  const name = random.pick(NAMES)
  const namespace = `${prefix}${team}`
  // The path is immutable, so each name has one path.
  const shared = `/${prefix}team/${name}/`
  const path = team === 'team' || name === 'e' ? shared : `/${name}/`
  const secret = random.pick(KEYS)
  const url = random.chance(0.75) ? 'https://res.example/' : random.pick(ODD_URLS)
  const literal = { headers: { Price: [`$${random.below(9)}`] } }
  const keyed = { headers: { 'Api-Key': ['${KEY}'] } }
  const headers = random.pick([{}, keyed, keyed, { headers: { 'Api-Key': ['${SHARED}'] } }, literal, literal, literal])
  const env = [
    { name: 'KEY', valueFrom: { secretKeyRef: { name: secret, key: random.pick(['key', 'key', 'key', 'nokey']) } } },
  ]
  const spec = { path, internal: random.chance(0.2), outbound: { url, ...headers }, env }
  await admin.apply(routerOf({ namespace, name, gateway: `${prefix}llm/main` }, spec))
  return `apply router ${team}/${name}`
}

const removeRouter: Step = async ({ admin, random, prefix }) => {
  const [team, name] = [random.pick(TEAMS), random.pick(NAMES)]
  await admin.remove({ kind: 'Router', namespace: `${prefix}${team}`, name })
  return `remove router ${team}/${name}`
}

const applySecret: Step = async ({ admin, random, prefix }) => {
  const [team, name] = [random.pick(TEAMS), random.pick(['azure', 'other'])]
  // One key in eight is empty.
  const key = random.chance(0.12) ? '' : `key-${random.below(1_000)}`
  await admin.apply(secretOf(`${prefix}${team}`, name, { key }))
  return `apply secret ${team}/${name}`
}

const removeSecret: Step = async ({ admin, random, prefix }) => {
  const [team, name] = [random.pick(TEAMS), random.pick(['azure', 'other'])]
  await admin.remove({ kind: 'Secret', namespace: `${prefix}${team}`, name })
  return `remove secret ${team}/${name}`
}

const applyGateway: Step = async ({ admin, random, prefix, gatewayClass }) => {
  const paths = random.pick(['NamespacePrefix', 'NamespacePrefix', 'Any'])
  const namespaces = random.pick([
    { from: 'All' },
    { from: 'Selector', selector: { matchLabels: { llm: 'yes' } } },
    { from: 'All' },
    { from: 'Same' },
  ])
  await admin.apply(
    gatewayOf(`${prefix}llm`, gatewayClass, {
      replicas: 1 + random.below(2),
      allowedRouters: { namespaces, paths, ...random.pick([{}, { hosts: ['*.example'] }]) },
      session: { header: random.pick(['Session-Id', 'X-Session']) },
      sharedEnv: [
        {
          name: 'BASE',
          value: random.pick(['https://shared.example/', 'https://res.example/']),
          namespaces: { from: random.pick(['All', 'Same']) },
        },
        { name: 'SHARED', valueFrom: { secretKeyRef: { name: 'azure', key: 'key' } }, hosts: ['shared.example'] },
      ],
    }),
  )
  return 'apply gateway'
}

const removeGateway: Step = async ({ admin, prefix }) => {
  await admin.remove({ kind: 'LLMGateway', namespace: `${prefix}llm`, name: 'main' })
  return 'remove gateway'
}

const applyProcessor: Step = async ({ admin, random, prefix }) => {
  const name = random.pick(['count', 'pool'])
  const spec =
    name === 'count'
      ? { type: 'CharacterCount', replicas: 1 + random.below(2) }
      : { type: 'Broker', broker: { pools: [{ path: '/a/', members: random.pick([['/b/'], ['/b/', '/c/']]) }] } }
  await admin.apply(processorOf(`${prefix}llm`, name, spec))
  return `apply processor ${name}`
}

const removeProcessor: Step = async ({ admin, random, prefix }) => {
  const name = random.pick(['count', 'pool'])
  await admin.remove({ kind: 'Processor', namespace: `${prefix}llm`, name })
  return `remove processor ${name}`
}

const label: Step = async ({ admin, random, prefix }) => {
  await admin.apply(namespaceOf(`${prefix}team`, { llm: random.pick(['yes', 'no']) }))
  return 'label namespace team'
}

const BEGINNING: readonly Step[] = [applyGateway, applySecret, applyRouter, applyRouter, applyRouter]

const STEPS: readonly (readonly [weight: number, step: Step])[] = [
  [40, applyRouter],
  [12, removeRouter],
  [14, applySecret],
  [5, removeSecret],
  [8, applyGateway],
  [1, removeGateway],
  [6, applyProcessor],
  [3, removeProcessor],
  [4, label],
]
