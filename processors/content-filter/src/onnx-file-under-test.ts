/**
 * Returns the bytes of an ONNX model (protobuf) that gives each label the highest value of any token. `products`: so many
 * products of large matrices of zeros are added, which change nothing and take a while.
 */
export function onnxFile(table: readonly (readonly number[])[], products = 0): Uint8Array {
  const weights = tensor('weights', [table.length, table[0]?.length ?? 0], table.flat())
  const row = tensor('row', [1, SIZE], Array(SIZE).fill(0))
  const column = tensor('column', [SIZE, 1], Array(SIZE).fill(0))
  const graph = message([
    bytes(1, node('Gather', ['weights', 'input_ids'], 'values', [])),
    bytes(1, node('ReduceMax', ['values'], 'highest', [ints('axes', 1), int('keepdims', 0)])),
    ...slowNodes(products).map((each) => bytes(1, each)),
    bytes(1, node('Add', ['highest', 'nothing'], 'logits', [])),
    text(2, 'tiny'),
    ...[weights, row, column].map((each) => bytes(5, each)),
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

/** The number of rows of a large matrix: a product takes some tenths of a second. */
const SIZE = 2_048

/** Returns nodes that make `nothing` of the input, since the runtime computes constants while it loads the model. */
function slowNodes(products: number): readonly Buffer[] {
  return [
    node('Cast', ['input_ids'], 'numbers', [int('to', FLOAT)]),
    node('ReduceMax', ['numbers'], 'number', [ints('axes', 1), int('keepdims', 1)]),
    ...(products === 0 ? [] : [node('MatMul', ['number', 'row'], 'line', [])]),
    ...(products === 0 ? [] : [node('MatMul', ['column', 'line'], 'matrix 0', [])]),
    ...Array.from({ length: products }, (_, n) =>
      node('MatMul', [`matrix ${n}`, `matrix ${n}`], `matrix ${n + 1}`, []),
    ),
    products === 0
      ? node('Sub', ['number', 'number'], 'nothing', [])
      : node('ReduceMax', [`matrix ${products}`], 'nothing', [int('keepdims', 1)]),
  ]
}

function tensor(name: string, dimensions: readonly number[], values: readonly number[]): Buffer {
  return message([
    ...dimensions.map((size) => varint(1, size)),
    varint(2, FLOAT),
    text(8, name),
    bytes(9, Buffer.from(new Float32Array(values).buffer)),
  ])
}

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
