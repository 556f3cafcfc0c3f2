import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { type CodeLanguage, codeLanguage } from './code-language.ts'
import { codeTheme } from './code-theme.ts'

export type DiffViewProps = {
  readonly before: { readonly label: string; readonly text: string }
  readonly after: { readonly label: string; readonly text: string }
  /** Unset means JSON. */
  readonly language?: CodeLanguage
}

const COLLAPSED = { margin: 3, minSize: 8 }
/** Below this width the texts are shown one below the other. */
const NARROW_PX = 720

/** Shows the differences of two texts, with equal lines folded. */
export function DiffView({ before, after, language = 'json' }: DiffViewProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const parent = place.current
    if (parent === null) return
    const shared = (label: string): Extension => [
      lineNumbers(),
      codeLanguage(language),
      codeTheme(),
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    ]
    if (parent.clientWidth < NARROW_PX) {
      const merged = unifiedMergeView({ original: before.text, mergeControls: false, collapseUnchanged: COLLAPSED })
      const view = new EditorView({ parent, doc: after.text, extensions: [shared(after.label), merged] })
      return () => view.destroy()
    }
    const view = new MergeView({
      parent,
      a: { doc: before.text, extensions: shared(before.label) },
      b: { doc: after.text, extensions: shared(after.label) },
      collapseUnchanged: COLLAPSED,
      gutter: true,
    })
    return () => view.destroy()
  }, [before.label, before.text, after.label, after.text, language])
  return <div className="code-place diff" ref={place} />
}
