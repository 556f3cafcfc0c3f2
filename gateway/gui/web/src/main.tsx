import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { trackActivity } from './api/activity.ts'
import { createQueryClient } from './api/query-client.ts'
import { createPageRouter } from './page-router.tsx'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/layout.css'
import './styles/lists.css'
import './styles/record.css'
import './styles/resources.css'
import { rememberedTheme, showTheme } from './theme.ts'

showTheme(rememberedTheme())
trackActivity()
const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={createQueryClient()}>
        <RouterProvider router={createPageRouter()} />
      </QueryClientProvider>
    </StrictMode>,
  )
}
