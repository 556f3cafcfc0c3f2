/** The API group of all three kinds. */
export const GROUP = 'llmgateway.io'
export const VERSION = 'v1alpha1'
export const API_VERSION = `${GROUP}/${VERSION}`

/** Our labels and annotations begin with the group. */
export const GATEWAY_LABEL = `${GROUP}/gateway`
export const PAUSED_ANNOTATION = `${GROUP}/paused`
/** On each of our CRDs: the version of the product that installed it. */
export const VERSION_ANNOTATION = `${GROUP}/version`
export const CONFIG_ANNOTATION = `${GROUP}/config`
