import { useData, useRoute, withBase } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import { nextTick, onMounted, watch } from 'vue'

export default {
  extends: DefaultTheme,
  setup() {
    const { isDark } = useData()
    const route = useRoute()
    const draw = () => nextTick().then(() => drawDiagrams(isDark.value))
    onMounted(draw)
    watch(() => route.path, draw)
  },
}

async function drawDiagrams(isDark) {
  const nodes = document.querySelectorAll('pre.mermaid:not([data-processed])')
  if (nodes.length === 0) return
  const { default: mermaid } = await import(/* @vite-ignore */ withBase('/mermaid/mermaid.esm.min.mjs'))
  mermaid.initialize({ startOnLoad: false, theme: isDark ? 'dark' : 'default' })
  await mermaid.run({ nodes })
}
