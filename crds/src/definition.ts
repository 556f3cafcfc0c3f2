import type { z } from 'zod'
import packageFile from '../package.json' with { type: 'json' }
import { UNSEEN } from './conditions.ts'
import { GROUP, VERSION, VERSION_ANNOTATION } from './group.ts'
import { type JsonObject, structuralSchema } from './structural-schema.ts'

/** The parts of a CustomResourceDefinition. */
export type Kind = {
  readonly kind: string
  readonly plural: string
  readonly shortName: string
  readonly description: string
  readonly spec: z.ZodType
  readonly status: z.ZodType
  /** Column → JSON path. The age is added as the last column. */
  readonly columns: readonly (readonly [name: string, type: string, path: string])[]
  readonly scale?: JsonObject
  readonly selectableFields: readonly string[]
}

export const NAME_PATTERN = '^[a-z]([-a-z0-9]*[a-z0-9])?$'

/** Names become parts of longer names, which have at most 63 characters. */
const NAME_RULES = [
  {
    rule: `self.metadata.name.size() <= 40 && self.metadata.name.matches('${NAME_PATTERN}')`,
    message: 'must be a DNS label of at most 40 characters that begins with a letter',
    fieldPath: '.metadata.name',
  },
]

/** Makes the CustomResourceDefinition of a kind, ready to be written as YAML. */
export function customResourceDefinition(kind: Kind): JsonObject {
  const singular = kind.kind.toLowerCase()
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${GROUP}`, annotations: { [VERSION_ANNOTATION]: packageFile.version } },
    spec: {
      group: GROUP,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular,
        shortNames: [kind.shortName],
        categories: ['llm'],
      },
      scope: 'Namespaced',
      versions: [version(kind)],
    },
  }
}

function version({ description, spec, status, columns, scale, selectableFields }: Kind): JsonObject {
  return {
    name: VERSION,
    served: true,
    storage: true,
    subresources: { status: {}, ...(scale === undefined ? {} : { scale }) },
    ...(selectableFields.length === 0 ? {} : { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
    additionalPrinterColumns: [...columns, ['Age', 'date', '.metadata.creationTimestamp']].map(
      ([name = '', type = '', jsonPath = '']) => ({ name, type, jsonPath }),
    ),
    schema: {
      openAPIV3Schema: {
        type: 'object',
        description,
        required: ['spec'],
        'x-kubernetes-validations': NAME_RULES,
        properties: {
          apiVersion: { type: 'string', description: 'Version of this form of the resource.' },
          kind: { type: 'string', description: 'The kind of the resource.' },
          // Declared so that the rule about names has a field to point to.
          metadata: {
            type: 'object',
            properties: { name: { type: 'string', maxLength: 253, description: 'A DNS label.' } },
          },
          spec: { ...structuralSchema(spec), description: 'What is wanted.' },
          status: { ...structuralSchema(status), description: 'What the operator found.', default: UNSEEN },
        },
      },
    },
  }
}
