import type { Resource, Value, ValueObject } from './value.ts'

/** A parameter, whose value the person gives for a deployment. */
export type Parameter = {
  readonly type: 'string' | 'int' | 'bool'
  readonly description: string
  /** Azure neither shows nor stores the value. */
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
  /** Each resource comes after those that it refers to. */
  readonly resources: readonly Resource[]
  /** The outputs, all texts. */
  readonly outputs: Readonly<Record<string, Output>>
}
