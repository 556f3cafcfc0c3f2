import type {
  V1ConfigMap,
  V1Deployment,
  V1NetworkPolicy,
  V1ObjectMeta,
  V1PodDisruptionBudget,
  V1RoleBinding,
  V1Secret,
  V1Service,
  V1ServiceAccount,
  V1StatefulSet,
} from '@kubernetes/client-node'

/**
 * The JSON of a model of the Kubernetes API, read-only. The models have a Date where JSON has an RFC 3339 text, and
 * write `_from` for the field `from`, a word of JavaScript. An undefined field stays out of the JSON.
 */
export type JsonOf<Model> = Model extends Date
  ? string
  : Model extends readonly (infer Item)[]
    ? readonly JsonOf<Item>[]
    : Model extends object
      ? { readonly [Field in keyof Model as NameOf<Field>]: JsonOf<Model[Field]> | UndefinedIn<Model[Field]> }
      : Model

type UndefinedIn<Type> = undefined extends Type ? undefined : never
type NameOf<Field> = Field extends `_${infer Name}` ? Name : Field

/** The metadata of an object that belongs to a gateway. */
export type OwnedMetadata = JsonOf<V1ObjectMeta> & {
  readonly name: string
  readonly namespace: string
  readonly labels: Readonly<Record<string, string>>
  readonly ownerReferences: NonNullable<JsonOf<V1ObjectMeta>['ownerReferences']>
}

type Owned<ApiVersion extends string, Kind extends string, Model> = Omit<
  JsonOf<Model>,
  'apiVersion' | 'kind' | 'metadata' | 'status'
> & { readonly apiVersion: ApiVersion; readonly kind: Kind; readonly metadata: OwnedMetadata }

export type ConfigMap = Owned<'v1', 'ConfigMap', V1ConfigMap>
export type Deployment = Owned<'apps/v1', 'Deployment', V1Deployment>
export type NetworkPolicy = Owned<'networking.k8s.io/v1', 'NetworkPolicy', V1NetworkPolicy>
export type PodDisruptionBudget = Owned<'policy/v1', 'PodDisruptionBudget', V1PodDisruptionBudget>
export type RoleBinding = Owned<'rbac.authorization.k8s.io/v1', 'RoleBinding', V1RoleBinding>
export type Secret = Owned<'v1', 'Secret', V1Secret>
export type Service = Owned<'v1', 'Service', V1Service>
export type ServiceAccount = Owned<'v1', 'ServiceAccount', V1ServiceAccount>
export type StatefulSet = Owned<'apps/v1', 'StatefulSet', V1StatefulSet>

/** An object that the operator makes for a gateway. */
export type Manifest =
  | ConfigMap
  | Deployment
  | NetworkPolicy
  | PodDisruptionBudget
  | RoleBinding
  | Secret
  | Service
  | ServiceAccount
  | StatefulSet
