/** The routers of a gl_config.json without `routers` (wire, 1.1). */
export const defaultRouters: readonly unknown[] = (() => {
  const json = { 'Content-Type': ['application/json'] }
  const service = {
    ingress: { headers: json },
    outbound: { url: '${AISERVICE_API_BASE}', endpoint: '', headers: json },
  }
  return [
    { path: '/echo/', outbound: { url: 'https://localhost' } },
    { path: '/service/standard/', ...service },
    { path: '/service/capped/', ...service },
    {
      path: '/restricted/',
      ingress: { headers: { ...json, 'Api-Key': ['${GATEWAY_API_KEY}'] } },
      outbound: { ...service.outbound, headers: { ...json, 'Api-Key': ['${AISERVICE_API_KEY}'] } },
    },
  ]
})()

export const echoRouter = { path: '/echo/', outbound: { url: 'https://localhost' } }
