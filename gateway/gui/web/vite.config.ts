import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  // The server puts a fresh nonce in its place in each answer.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2024',
    // A data: URL in a style sheet would need an exception in the page's policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_500,
  },
})
