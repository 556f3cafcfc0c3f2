/**
 * States of the machine; 0 is failure. json-machine.wat uses the numbers of STRING and of states that actions lead to.
 */
const STATES = [
  ...['FAILED', 'VALUE', 'VALUE_OR_CLOSE', 'NAME_OR_CLOSE', 'NAME', 'COLON', 'STRING', 'AFTER'],
  ...['ESCAPE', 'HEX_1', 'HEX_2', 'HEX_3', 'HEX_4'],
  ...['MINUS', 'ZERO', 'INTEGER', 'POINT', 'FRACTION', 'E', 'E_SIGN', 'EXPONENT'],
  ...['TR', 'TRU', 'TRUE', 'FA', 'FAL', 'FALS', 'FALSE', 'NU', 'NUL', 'NULL'],
] as const
type State = (typeof STATES)[number]

/** Actions of a byte beyond a change of state; numbered from 64 in the table. */
const ACTIONS = [
  ...['OPEN_OBJECT', 'OPEN_ARRAY', 'CLOSE_OBJECT', 'CLOSE_ARRAY', 'COMMA'],
  ...['NAME_STRING', 'VALUE_STRING', 'STRING_END', 'LITERAL_END'],
] as const
type Action = (typeof ACTIONS)[number]

const FIRST_ACTION = 64
/** Added to the state after the first byte of a number or a literal, so that the machine counts a value. */
const BEGIN = 128
/** Added to the state after a byte of white space, so that the machine counts it. */
const SPACE_TO = 192
const BYTES = 256
const NUMBERS: ReadonlyMap<State | Action, number> = new Map([
  ...STATES.map((state, number) => [state, number] as const),
  ...ACTIONS.map((action, number) => [action, FIRST_ACTION + number] as const),
])
const DIGITS = '0123456789'
const HEX_DIGITS = '0123456789abcdefABCDEF'
const SPACE = ' \t\n\r'

/** The next state or action by character; every other byte is a failure (RFC 8259). */
type Rules = readonly (readonly [characters: string, to: State | Action])[]

const VALUE: Rules = [
  ['"', 'VALUE_STRING'],
  ['{', 'OPEN_OBJECT'],
  ['[', 'OPEN_ARRAY'],
  ['-', 'MINUS'],
  ['0', 'ZERO'],
  ['123456789', 'INTEGER'],
  ['t', 'TR'],
  ['f', 'FA'],
  ['n', 'NU'],
]

/** The rules after a value; they also end a number. */
const AFTER: Rules = [
  [SPACE, 'AFTER'],
  [',', 'COMMA'],
  ['}', 'CLOSE_OBJECT'],
  [']', 'CLOSE_ARRAY'],
]

const GRAMMAR: Readonly<Record<Exclude<State, 'FAILED' | 'STRING'>, Rules>> = {
  VALUE: [[SPACE, 'VALUE'], ...VALUE],
  VALUE_OR_CLOSE: [[SPACE, 'VALUE_OR_CLOSE'], [']', 'CLOSE_ARRAY'], ...VALUE],
  NAME_OR_CLOSE: [
    [SPACE, 'NAME_OR_CLOSE'],
    ['}', 'CLOSE_OBJECT'],
    ['"', 'NAME_STRING'],
  ],
  NAME: [
    [SPACE, 'NAME'],
    ['"', 'NAME_STRING'],
  ],
  COLON: [
    [SPACE, 'COLON'],
    [':', 'VALUE'],
  ],
  AFTER,
  ESCAPE: [
    ['"\\/bfnrt', 'STRING'],
    ['u', 'HEX_1'],
  ],
  HEX_1: [[HEX_DIGITS, 'HEX_2']],
  HEX_2: [[HEX_DIGITS, 'HEX_3']],
  HEX_3: [[HEX_DIGITS, 'HEX_4']],
  HEX_4: [[HEX_DIGITS, 'STRING']],
  MINUS: [
    ['0', 'ZERO'],
    ['123456789', 'INTEGER'],
  ],
  ZERO: [['.', 'POINT'], ['eE', 'E'], ...AFTER],
  INTEGER: [[DIGITS, 'INTEGER'], ['.', 'POINT'], ['eE', 'E'], ...AFTER],
  POINT: [[DIGITS, 'FRACTION']],
  FRACTION: [[DIGITS, 'FRACTION'], ['eE', 'E'], ...AFTER],
  E: [
    ['+-', 'E_SIGN'],
    [DIGITS, 'EXPONENT'],
  ],
  E_SIGN: [[DIGITS, 'EXPONENT']],
  EXPONENT: [[DIGITS, 'EXPONENT'], ...AFTER],
  TR: [['r', 'TRU']],
  TRU: [['u', 'TRUE']],
  TRUE: [['e', 'LITERAL_END']],
  FA: [['a', 'FAL']],
  FAL: [['l', 'FALS']],
  FALS: [['s', 'FALSE']],
  FALSE: [['e', 'LITERAL_END']],
  NU: [['u', 'NUL']],
  NUL: [['l', 'NULL']],
  NULL: [['l', 'LITERAL_END']],
}

export const FIRST_STATE = STATES.indexOf('VALUE')

/** States in which a text may end, provided that no container is open. */
export const LAST_STATES: ReadonlySet<number> = new Set(
  (['AFTER', 'ZERO', 'INTEGER', 'FRACTION', 'EXPONENT'] as const).map((state) => STATES.indexOf(state)),
)

const BEFORE_VALUE: ReadonlySet<State> = new Set(['VALUE', 'VALUE_OR_CLOSE'])
/** States after the first byte of a number or a literal. */
const BEGINNINGS: ReadonlySet<State | Action> = new Set(['MINUS', 'ZERO', 'INTEGER', 'TR', 'FA', 'NU'])

/** Returns the table of transitions: 256 bytes for each state, one for each next byte. */
export function transitions(): Uint8Array {
  const table = new Uint8Array(STATES.length * BYTES)
  const string = STATES.indexOf('STRING')
  table.fill(string, string * BYTES + 0x20, (string + 1) * BYTES)
  const set = (state: State, characters: string, to: State | Action): void => {
    const added = characters === SPACE ? SPACE_TO : BEGINNINGS.has(to) ? BEGIN : 0
    for (const byte of Buffer.from(characters)) {
      // A byte begins a number or a literal only in a state before a value.
      const begins = added !== BEGIN || BEFORE_VALUE.has(state)
      table[STATES.indexOf(state) * BYTES + byte] = (NUMBERS.get(to) ?? 0) + (begins ? added : 0)
    }
  }
  set('STRING', '"', 'STRING_END')
  set('STRING', '\\', 'ESCAPE')
  for (const state of STATES) {
    if (state === 'FAILED' || state === 'STRING') continue
    for (const [characters, to] of GRAMMAR[state]) set(state, characters, to)
  }
  return table
}
