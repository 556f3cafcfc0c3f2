import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../promtool.ts'
import type { DrawnPanel } from './panel-results.ts'

/** Pixels of one unit of Grafana's grid. */
const UNIT = 34

export type Page = { readonly html: string; readonly width: number; readonly height: number }

/** Returns a self-contained HTML file that draws a dashboard with uPlot. */
export function dashboardPage(title: string, panels: readonly DrawnPanel[]): Page {
  const file = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
  const bottom = Math.max(...panels.map(({ grid }) => grid.y + grid.h))
  const script = [file('node_modules/uplot/dist/uPlot.iife.min.js'), file('test/observe/pictures/draw.js')].join('\n')
  const data = JSON.stringify({ title, panels, unit: UNIT }).replaceAll('<', '\\u003c')
  const html = `<!doctype html><meta charset="utf-8">
<style>${file('node_modules/uplot/dist/uPlot.min.css')}
${file('test/observe/pictures/page.css')}</style>
<h1></h1><main></main>
<script>${script}</script>
<script>draw(${data})</script>
`
  return { html, width: 1600, height: 60 + bottom * UNIT }
}
