import type { Resource, Value, ValueObject } from './value.ts'

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
