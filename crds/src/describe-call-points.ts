import { CALL_POINT_DEFAULTS, PROCESSOR_TYPES, type WholeCallPoint } from './processor-types.ts'

/** Describes for `kubectl explain` each type's default call point in a phase. */
export function describeCallPoints(phase: 'request' | 'response'): string {
  const shipped = PROCESSOR_TYPES.flatMap((type) => {
    const point = type === 'Custom' ? undefined : CALL_POINT_DEFAULTS[type][phase]
    return point === undefined ? [] : [`${type}: ${words(point)}`]
  })
  const custom = CALL_POINT_DEFAULTS.Custom[phase]
  const ofCustom =
    custom === undefined
      ? ''
      : ` A Custom Processor is called only if the resource has this field; defaults: ${words(custom)}.`
  return `Fields that are left out have the default of the type: order, switches, timeout, input fields → output fields. ${shipped.join('; ')}.${ofCustom}`
}

function words({ order, async, modifier, required, inputFields, outputFields, timeoutMs }: WholeCallPoint): string {
  const flags = Object.entries({ async, modifier, required }).flatMap(([name, on]) => (on ? [name] : []))
  const fields = `${listed(inputFields, 'all fields')} → ${listed(outputFields, 'nothing')}`
  return [`order ${order}`, ...flags, `${timeoutMs} ms`, fields].join(', ')
}

function listed(fields: readonly string[], none: string): string {
  return fields.length === 0 ? none : fields.join(' ')
}
