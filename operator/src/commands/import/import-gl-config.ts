import { type CheckedGlConfig, checkGlConfig, type Environment } from '@llm-gateway/conf'
import { createFormJudge, isKindName } from '@llm-gateway/crds'
import { listAt, textAt } from '@llm-gateway/kube'
import { behaviourOf } from './behaviour.ts'
import { differencesBetween } from './differences.ts'
import { fillInsOf, sourceResource } from './fill-ins.ts'
import { importGateway, prefixOf } from './import-gateway.ts'
import type { ImportTarget, Resource } from './import-part.ts'
import { importProcessors, replayedBy } from './import-processors.ts'
import { heldRouter, importRouters } from './import-routers.ts'
import { textOf } from './read-gl-config.ts'
import { renderedBehaviour } from './rendered-behaviour.ts'

export type ImportOutcome =
  | {
      readonly kind: 'imported'
      readonly resources: readonly Resource[]
      /** Tasks for people and differences, one per line. */
      readonly notes: readonly string[]
    }
  | { readonly kind: 'broken'; readonly errors: readonly string[] }

/** The error for bytes that aren't UTF-8 and so have no line. */
const NO_TEXT = 'json: the file is not UTF-8 text'

/**
 * Turns a gl_config.json into resources. Their translation is compared with the file, and every difference is a note.
 */
export function importGlConfig(bytes: Uint8Array, target: ImportTarget): ImportOutcome {
  const text = textOf(bytes)
  const placeholders = placeholdersOf(text)
  const check = checkGlConfig(bytes, placeholders, { acceptMissing: true })
  const before = behaviourOf(bytes, placeholders)
  if (check.kind !== 'checked' || before === undefined) {
    const errors = check.kind === 'invalid' ? Object.entries(check.validationErrors) : []
    return {
      kind: 'broken',
      errors: errors.map(([place, reason]) => `${place}: ${reason === 'json:' ? NO_TEXT : reason}`),
    }
  }
  const { unknownKeys } = check.config
  const made = resourcesOf(listAt(JSON.parse(text), 'routers'), check.config, target)
  const { resources, faults } = withoutBadForms(made.resources)
  const fillIns = fillInsOf(resources)
  const tried = [
    ...resources,
    ...fillIns.map((source) =>
      sourceResource(source, target.namespace, (key) => placeholders.environment[key] ?? 'placeholder'),
    ),
  ]
  const after = renderedBehaviour(tried)
  return {
    kind: 'imported',
    resources: [...resources, ...fillIns.map((source) => sourceResource(source, target.namespace, () => ''))],
    notes: [
      ...fillIns.map(({ kind, name, keys }) => `fill in: ${kind} ${target.namespace}/${name}: ${keys.join(', ')}`),
      ...made.notes,
      ...faults,
      ...unknownKeys.map((key) => `not expressed: ${key}: no setting has this name`),
      ...differencesBetween(before, after.behaviour, after.causes).map((difference) => `not expressed: ${difference}`),
    ],
  }
}

type ImportedResources = { readonly resources: readonly Resource[]; readonly notes: readonly string[] }

function resourcesOf(
  entries: readonly unknown[],
  { settings, routers: checked, rejectedFields }: CheckedGlConfig,
  target: ImportTarget,
): ImportedResources {
  const phases = { request: settings.request.processors, response: settings.response.processors }
  const prefix = prefixOf(settings)
  const replayed = new Set(replayedBy(phases, prefix).map((path) => `/mock${path}`))
  const masked = new Set(settings.masked_headers.map((name) => name.toLowerCase()))
  const routers = importRouters({ entries, checked, rejectedFields, replayed, masked }, target)
  const paths = routers.resources.map(({ spec }) => textAt(spec, 'path') ?? '')
  const processors = importProcessors(phases, { ...target, prefix, routers: paths })
  return {
    resources: [importGateway(settings, target), ...routers.resources, ...processors.resources],
    notes: [...routers.notes, ...processors.notes],
  }
}

/** Leaves out resources that their kind's schema refuses, so that the others still work. A Router's path stays held. */
function withoutBadForms(made: readonly Resource[]): { resources: readonly Resource[]; faults: readonly string[] } {
  const judge = createFormJudge()
  const errorsOf = (resource: Resource) => (isKindName(resource.kind) ? judge(resource.kind, resource) : [])
  const judged = made.map((resource) => ({ resource, errors: errorsOf(resource) }))
  return {
    resources: judged.flatMap(({ resource, errors }) => {
      if (errors.length === 0) return [resource]
      const held = resource.kind === 'Router' ? [heldRouter(resource)] : []
      return held.filter((router) => errorsOf(router).length === 0)
    }),
    faults: judged.flatMap(({ resource: { kind, metadata, spec }, errors }) =>
      errors.map((error) => `left out: ${kind} ${textAt(spec, 'path') ?? metadata.name}: ${error}`),
    ),
  }
}

const NAME = /\$\{?([A-Za-z_][A-Za-z0-9_]*)/g
const BEGINS_URL = /"url"\s*:\s*"\$\{?([A-Za-z_][A-Za-z0-9_]*)/g

/** Returns a different placeholder for each variable of a file, an address where the variable begins one. */
function placeholdersOf(text: string): { readonly environment: Environment } {
  const addresses = new Set([...text.matchAll(BEGINS_URL)].map(([, name = '']) => name))
  const names = [...new Set([...text.matchAll(NAME)].map(([, name = '']) => name))].sort()
  return {
    environment: Object.fromEntries(
      names.map((name, index) => [name, addresses.has(name) ? `https://v${index}.example/` : `v${index}`]),
    ),
  }
}
