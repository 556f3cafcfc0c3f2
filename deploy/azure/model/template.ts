import type { Value, ValueObject } from './value.ts'

/** What a deployment is asked for. */
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
  /** What an extension resource is put on. */
  readonly scope?: Resource
  /** It is there already: only referred to. */
  readonly existing?: true
  /** What has to be there before, though nothing of it is referred to. */
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
