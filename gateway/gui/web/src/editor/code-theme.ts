import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { styleNonce } from '../style-nonce.ts'

/** Returns the editor's theme in light and dark. Its styles carry the nonce of the page's policy. */
export function codeTheme(): Extension {
  return [
    EditorView.cspNonce.of(styleNonce()),
    EditorView.lineWrapping,
    EditorView.theme({
      '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: 'var(--text-s)' },
      '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
      '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
      '.cm-content': { caretColor: 'var(--text)' },
      '.cm-cursor': { borderLeftColor: 'var(--text)' },
      '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-soft)', border: 'none' },
      '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
      '&.cm-focused .cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
      '& .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
        backgroundColor: 'color-mix(in srgb, var(--accent) 26%, transparent)',
      },
      '.cm-tooltip': { backgroundColor: 'var(--surface)', border: '1px solid var(--border)', color: 'var(--text)' },
      '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
      '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)' },
      '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: 'none' },
      '.cm-changedLine': { backgroundColor: 'var(--good-soft) !important' },
      '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--bad-soft) !important' },
      '.cm-changedText': { background: 'color-mix(in srgb, var(--good) 16%, transparent) !important' },
      '&.cm-merge-a .cm-changedText, .cm-deletedText, .cm-deletedChunk .cm-deletedText': {
        background: 'color-mix(in srgb, var(--bad) 18%, transparent) !important',
      },
      '.cm-collapsedLines': { background: 'var(--sunken)', color: 'var(--text-soft)' },
      '.cm-collapsedLines:before, .cm-collapsedLines:after': { content: '"…"' },
    }),
    syntaxHighlighting(
      HighlightStyle.define([
        { tag: tags.propertyName, color: 'var(--accent)' },
        { tag: tags.string, color: 'var(--good)' },
        { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
        { tag: tags.invalid, color: 'var(--bad)' },
      ]),
    ),
  ]
}
