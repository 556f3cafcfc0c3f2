/** Returns the bytes of an ONNX model (protobuf) that gives each label the highest value of any token. */
export function onnxFile(table: readonly (readonly number[])[]): Uint8Array {
  const labels = table[0]?.length ?? 0
  const weights = message([
    varint(1, table.length),
    varint(1, labels),
    varint(2, FLOAT),
    text(8, 'weights'),
    bytes(9, Buffer.from(new Float32Array(table.flat()).buffer)),
  ])
  const graph = message([
    bytes(1, node('Gather', ['weights', 'input_ids'], 'values', [])),
    bytes(1, node('ReduceMax', ['values'], 'logits', [ints('axes', 1), int('keepdims', 0)])),
    text(2, 'tiny'),
    bytes(5, weights),
    bytes(11, value('input_ids', INT64, ['batch', 'sequence'])),
    bytes(11, value('attention_mask', INT64, ['batch', 'sequence'])),
    bytes(12, value('logits', FLOAT, ['batch', 'labels'])),
  ])
  return message([varint(1, 8), bytes(7, graph), bytes(8, message([text(1, ''), varint(2, 13)]))])
}

const FLOAT = 1
const INT64 = 7
const ATTRIBUTE_INT = 2
const ATTRIBUTE_INTS = 7
const VARINT = 0
const BYTES = 2

function node(kind: string, inputs: readonly string[], output: string, attributes: readonly Buffer[]): Buffer {
  return message([
    ...inputs.map((input) => text(1, input)),
    text(2, output),
    text(4, kind),
    ...attributes.map((attribute) => bytes(5, attribute)),
  ])
}

function int(name: string, number: number): Buffer {
  return message([text(1, name), varint(3, number), varint(20, ATTRIBUTE_INT)])
}

function ints(name: string, number: number): Buffer {
  return message([text(1, name), varint(8, number), varint(20, ATTRIBUTE_INTS)])
}

function value(name: string, type: number, dimensions: readonly string[]): Buffer {
  const shape = message(dimensions.map((dimension) => bytes(1, message([text(2, dimension)]))))
  return message([text(1, name), bytes(2, message([bytes(1, message([varint(1, type), bytes(2, shape)]))]))])
}

function message(fields: readonly Buffer[]): Buffer {
  return Buffer.concat(fields)
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value))
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([number((field << 3) | BYTES), number(value.length), value])
}

function varint(field: number, value: number): Buffer {
  return Buffer.concat([number((field << 3) | VARINT), number(value)])
}

function number(value: number): Buffer {
  const found: number[] = []
  let rest = value
  for (; rest > 0x7f; rest = Math.floor(rest / 0x80)) found.push((rest & 0x7f) | 0x80)
  return Buffer.from([...found, rest])
}
