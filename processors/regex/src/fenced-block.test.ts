import assert from 'node:assert/strict'
import { fencedBlock } from './settings.ts'
import { testWithRe2 } from './with-re2-under-test.ts'

// Rules: docs/reference/processors.md#regex

const TICKS = '```'
const block = (label: string, text: string, fence = TICKS) => `${fence}${label}\n${text}\n${fence}`

const TEXTS: readonly (readonly [what: string, text: string, sections: readonly string[]])[] = [
  ['a block labelled md', `Here:\n${block('md', '# Title')}\nBye.`, ['# Title']],
  ['a block labelled markdown', block('markdown', '# Title\n\ntext'), ['# Title\n\ntext']],
  ['an upper case label', block('MarkDown', 'a'), ['a']],
  ['attributes after the label', block('md title="x.md" {1,3}', 'a'), ['a']],
  ['a file name after the label', block('markdown:README.md', 'a'), ['a']],
  ['white space before the label and after the fences', `${TICKS} md \na\n${TICKS}  `, ['a']],
  ['several blocks', `${block('md', 'a')}\n${block('md', 'b')}\n\n${block('markdown', 'c')}`, ['a', 'b', 'c']],
  ['an empty block', `${TICKS}md\n${TICKS}`, ['']],
  ['a block of one empty line', `${TICKS}md\n\n${TICKS}`, ['']],
  ['lines that end with CR LF', `x\r\n${TICKS}md\r\n# a\r\n\r\nb\r\n${TICKS}\r\ny`, ['# a\r\n\r\nb']],
  ['an empty block with CR LF', `${TICKS}md\r\n${TICKS}\r\n`, ['']],
  ['a fence of tildes', block('md', 'a', '~~~'), ['a']],
  ['back-ticks in a fence of tildes', block('md', block('js', 'a'), '~~~'), [block('js', 'a')]],
  ['a block within a longer fence', block('md', block('js', 'a'), '````'), [block('js', 'a')]],
  ['a block within the longest fences', block('md', block('js', 'a', '````'), '`````'), [block('js', 'a', '````')]],
  ['a fence that is closed by a longer fence', `${TICKS}md\na\n${TICKS}${TICKS}`, ['a']],
  ['a block in a list', `1. x\n   ${TICKS}md\n   a\n   ${TICKS}\n`, ['   a']],
  ['back-ticks within a line', block('md', `use ${TICKS} here`), [`use ${TICKS} here`]],
  ['letters beyond ASCII', block('md', 'Grüße 机器 👩‍👧'), ['Grüße 机器 👩‍👧']],
  // A fence ends at the first line that closes it, as in CommonMark, whatever the model meant.
  ['a block within a fence of the same length', block('md', block('', 'a')), ['']],
  ['a labelled block within a fence of the same length', block('md', block('js', 'a')), [`${TICKS}js\na`]],
  ['a fence without an end', `${TICKS}md\na\n`, []],
  ['a fence whose end is of the other kind', `${TICKS}md\na\n~~~`, []],
  ['a fence whose end is shorter', `${TICKS}\`md\na\n${TICKS}`, []],
  ['a block after a fence without an end', `${TICKS}md\na\n\n${block('md', 'b')}`, [`a\n\n${TICKS}md\nb`]],
  ['a block with another label', block('json', '{}'), []],
  ['a block without a label', block('', 'a'), []],
  ['a label that only begins with the word', block('mdx', 'a') + block('markdownish', 'a') + block('md-x', 'a'), []],
  ['a fence within a line', `see ${TICKS}md\na\n${TICKS}`, []],
  ['a fence in one line', `${TICKS}md a${TICKS}`, []],
  ['no block', 'plain text', []],
  ['nothing', '', []],
]

testWithRe2('the text of fenced blocks with the label is found', (engine) => {
  const compilation = engine.compile(fencedBlock(['md', 'markdown']))
  assert.ok(compilation.kind === 'compiled')
  for (const [what, text, sections] of TEXTS) assert.deepEqual(compilation.search(text, 100), sections, what)
})
