const json = { 'Content-Type': ['application/json'] }
const service = {
  ingress: { headers: json },
  outbound: { url: '${AISERVICE_API_BASE}', endpoint: '', headers: json },
}

export const echoRouter = { path: '/echo/', outbound: { url: 'https://localhost' } }

/** The routers of a gl_config.json without routers (docs/reference/configuration-rules.md#default-routers). */
export const defaultRouters = [
  echoRouter,
  { path: '/service/standard/', ...service },
  { path: '/service/capped/', ...service },
  {
    path: '/restricted/',
    ingress: { headers: { ...json, 'Api-Key': ['${GATEWAY_API_KEY}'] } },
    outbound: { ...service.outbound, headers: { ...json, 'Api-Key': ['${AISERVICE_API_KEY}'] } },
  },
]
