import { z } from 'zod'
import { keyReferenceSchema } from './env-entry.ts'
import { atomicList, cel, quantity, text } from './primitives.ts'

const EXTERNAL = {
  rule: "self.type != 'External' || (has(self.servers) && self.servers.size() > 0 && has(self.tokenSecretRef))",
  message: 'type: External needs servers and tokenSecretRef',
  reason: 'FieldValueRequired' as const,
}
const MANAGED = {
  rule: "self.type == 'External' || !has(self.servers)",
  message: 'belongs to type: External',
  reason: 'FieldValueForbidden' as const,
  fieldPath: '.servers',
}

/**
 * The claims of a StatefulSet are immutable, and another store would lack the records. An external bus has no claim.
 */
const SAME_STORE = {
  rule: "self.type == 'External' || oldSelf.type == 'External' || (has(self.managed.storage.claim) == has(oldSelf.managed.storage.claim) && (!has(self.managed.storage.claim) || self.managed.storage.claim == oldSelf.managed.storage.claim))",
  message: 'is immutable: another store would be without the records of this one',
  reason: 'FieldValueForbidden' as const,
  fieldPath: '.managed.storage',
}
const ONE_STORE = {
  rule: 'has(self.emptyDir) != has(self.claim)',
  message: 'must have exactly one of emptyDir and claim',
}
/** Two servers have no majority when either is lost. */
const ODD_SERVERS = { rule: 'self != 2', message: 'must be 1 or 3' }
/** A server that comes back without its store can outvote the server with the records. */
const KEPT_STORES = {
  rule: "self.type == 'External' || self.managed.replicas == 1 || has(self.managed.storage.claim)",
  message: 'three servers need a claim: one that came back empty could make the others forget records',
  reason: 'FieldValueRequired' as const,
  fieldPath: '.managed.storage',
}
/** A cluster formed around a single server's store deletes its streams. */
const SAME_SERVERS = {
  rule: "self.type == 'External' || oldSelf.type == 'External' || self.managed.replicas == oldSelf.managed.replicas",
  message: 'immutable: a bus of another number of servers would be without the records of this one',
  reason: 'FieldValueForbidden' as const,
  fieldPath: '.managed.replicas',
}

const claimSchema = z.object({
  size: quantity.describe('Size of the claim; immutable.'),
  storageClassName: z
    .string()
    .max(253)
    .regex(/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$/)
    .optional()
    .describe("Class of the claim, immutable; empty or left out: the cluster's default."),
})

/** The NATS bus of a gateway. */
export const busSchema = z
  .object({
    type: z
      .enum(['Managed', 'External'])
      .default('Managed')
      .describe('Managed: the operator runs the bus; External: somebody else runs it.'),
    managed: z
      .object({
        auth: z.enum(['Token']).default('Token').describe('Authentication of the clients of the bus.'),
        replicas: z
          .int()
          .min(1)
          .max(3)
          .meta(cel(ODD_SERVERS))
          .default(1)
          .describe('Servers of the bus: 1, or 3 that keep each record three times; immutable.'),
        storage: z
          .object({
            emptyDir: quantity.optional().describe('Size of a volume that is deleted with the pod.'),
            claim: claimSchema.optional().describe('A claim that stays when the bus or the gateway is deleted.'),
          })
          .meta(cel(ONE_STORE))
          .default({ emptyDir: '1Gi' })
          .describe("Where records and processors' state are kept."),
        image: text(512)
          .default('')
          .describe(
            'Image of the bus; empty: the image of the gateway. The bus then gets another image only with another version of nats-server.',
          ),
      })
      .prefault({})
      .describe('Settings of a managed bus.'),
    servers: atomicList(
      z
        .string()
        .min(1)
        .max(261)
        .regex(/^[A-Za-z0-9_.-]+(:[0-9]{1,5})?$/),
      1,
    )
      .optional()
      .describe('host:port of an external bus.'),
    prefix: z
      .string()
      .min(1)
      .max(64)
      .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/)
      .default('llm')
      .describe('Prefix of every subject.'),
    tokenSecretRef: keyReferenceSchema
      .optional()
      .describe(
        'The token of the bus; left out: generated once. With three servers: letters, digits, - . _ and ~ only.',
      ),
  })
  .meta(cel(EXTERNAL, MANAGED, SAME_STORE, KEPT_STORES, SAME_SERVERS))
