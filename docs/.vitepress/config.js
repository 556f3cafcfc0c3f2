import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { slug } from 'github-slugger'

const docs = join(import.meta.dirname, '..')
const packages = join(docs, 'node_modules')
const mermaid = join(packages, 'mermaid/dist')

/** The site of docs/ and of the READMEs that its pages lead to. */
export default {
  title: 'LLM Gateway',
  description: 'A gateway in front of LLM APIs: routers, keys, sessions, processors and one complete record per call.',
  srcDir: '..',
  srcExclude: [
    'README.md',
    '.tools/**',
    '.run/**',
    '.release/**',
    '.github/**',
    'test/{fixtures,corpus,watchdog,browser}/**',
    'gateway/**',
  ],
  rewrites: { 'docs/:rest*': ':rest*' },
  outDir: join(docs, 'dist'),
  cacheDir: join(packages, '.cache/vitepress'),
  lastUpdated: false,
  // Pages outside of docs/ find Vue in the packages of the site.
  vite: {
    // The root’s tsconfig.json names a language level that this esbuild does not know.
    esbuild: { tsconfigRaw: {} },
    resolve: {
      alias: [
        { find: /^vue\/server-renderer$/, replacement: join(packages, 'vue/server-renderer/index.mjs') },
        { find: /^vue$/, replacement: join(packages, 'vue/dist/vue.runtime.esm-bundler.js') },
      ],
    },
  },
  // Links to files that are no pages lead to the repository's folders; links.test.ts looks after all links.
  ignoreDeadLinks: true,
  markdown: {
    // As the repository's host makes them, so that a link works in both places.
    anchor: { slugify: slug },
    config: drawDiagrams,
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/start/laptop' },
      { text: 'Tasks', link: '/tasks/' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Operations', link: '/operations/sizing' },
    ],
    sidebar: [
      section('Start', ['start/laptop', 'start/kubernetes', 'concepts', 'faq']),
      section('Tasks', ['tasks/index', ...linksOf('tasks/index.md')]),
      section('Operations', [
        'operations/sizing',
        'operations/operator',
        'upgrading',
        'operations/backup',
        'operations/troubleshooting',
        'operations/security',
        'operations/releases',
      ]),
      section('Reference', ['reference/index', ...linksOf('reference/index.md')]),
      section('Others', ['comparison', 'migration']),
    ],
  },
  /** Diagrams are drawn in the browser, by a script that only pages with a diagram load. */
  buildEnd({ outDir }) {
    for (const file of ['mermaid.esm.min.mjs', 'chunks/mermaid.esm.min']) {
      cpSync(join(mermaid, file), join(outDir, 'mermaid', file), { recursive: true })
    }
  },
}

/** A fence `mermaid` is a diagram; all others stay code. */
function drawDiagrams(md) {
  const code = md.renderer.rules.fence
  md.renderer.rules.fence = (tokens, at, options, environment, self) => {
    const { info, content } = tokens[at]
    if (info.trim() !== 'mermaid') return code(tokens, at, options, environment, self)
    return `<pre class="mermaid" v-pre>${md.utils.escapeHtml(content)}</pre>\n`
  }
}

/** A part of the sidebar; a page is called by its own first heading. */
function section(text, pages) {
  return { text, items: pages.map((page) => ({ text: titleOf(page), link: `/${page.replace(/index$/, '')}` })) }
}

function titleOf(page) {
  return /^# (.+)$/m.exec(readFileSync(join(docs, `${page}.md`), 'utf8'))?.[1] ?? page
}

/** The pages beside an index that it leads to, in its order. */
function linksOf(index) {
  const folder = index.slice(0, index.lastIndexOf('/'))
  const links = [...readFileSync(join(docs, index), 'utf8').matchAll(/\]\(([a-z-]+)\.md\)/g)]
  return links.map(([, name]) => `${folder}/${name}`)
}
