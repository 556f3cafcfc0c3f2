import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  // The server replaces this text by a fresh nonce in each answer.
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    target: 'es2024',
    // A data: URL in a style sheet would need an exception in the page's policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_500,
  },
})
