import { lazy, Suspense } from 'react'
import { texts } from '../texts.ts'
import type { CodeViewProps } from './code-view.tsx'
import type { DiffViewProps } from './diff-view.tsx'

// CodeMirror and the JSON language service are loaded when the first editor is opened.
const CodeView = lazy(() => import('./code-view.tsx').then(({ CodeView: component }) => ({ default: component })))
const LazyDiff = lazy(() => import('./diff-view.tsx').then(({ DiffView: component }) => ({ default: component })))

/** Edits JSON or YAML with the schema's completion and problems. */
export function TextEditor(props: CodeViewProps) {
  return (
    <Suspense fallback={<div className="code-place soft">{texts.loading}</div>}>
      <CodeView {...props} />
    </Suspense>
  )
}

/** Shows the differences of two texts, side by side or, on a phone, one below the other. */
export function TextDiff(props: DiffViewProps) {
  return (
    <Suspense fallback={<div className="code-place soft">{texts.loading}</div>}>
      <LazyDiff {...props} />
    </Suspense>
  )
}
