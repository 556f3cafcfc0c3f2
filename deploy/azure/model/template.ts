import type { Value, ValueObject } from './value.ts'

/** A parameter: a deployment asks the person for its value. */
export type Parameter = {
  readonly type: 'string' | 'int' | 'bool'
  readonly description: string
  /** Neither shown nor kept by Azure. */
  readonly secure?: true
  readonly default?: Value
  readonly allowed?: readonly string[]
  readonly minValue?: number
  readonly maxValue?: number
  readonly minLength?: number
  readonly maxLength?: number
}

export type Resource = {
  /** Its name in Bicep. */
  readonly symbol: string
  /** `Microsoft.Storage/storageAccounts`; of a child with its parent's before it. */
  readonly type: string
  readonly apiVersion: string
  /** Its own, without its parent's. */
  readonly name: Value
  readonly parent?: Resource
  /** The resource that an extension resource belongs to. */
  readonly scope?: Resource
  /** The resource is there already: the template only refers to it. */
  readonly existing?: true
  /** Resources that are made before this one, though it refers to none of them. */
  readonly after?: readonly Resource[]
  /** The rest: location, properties and so on. */
  readonly body?: ValueObject
}

export type Output = { readonly description: string; readonly value: Value }

export type Template = {
  readonly description: string
  readonly parameters: Readonly<Record<string, Parameter>>
  readonly variables: ValueObject
  /** Each after those that it refers to. */
  readonly resources: readonly Resource[]
  /** Texts all of them. */
  readonly outputs: Readonly<Record<string, Output>>
}
