// The pages of the Kubernetes edition, which the browser loads together and only in that edition.
export { AddProcessorPage } from './add-processor-page.tsx'
export { AddRouterPage } from './add-router-page.tsx'
export { GatewayPage } from './gateway-page.tsx'
export { ProcessorPage, RouterPage } from './resource-page.tsx'
export { ProcessorsPage, RoutersPage } from './resources-page.tsx'
