/** The API group of all three kinds. */
export const GROUP = 'llmgateway.io'
export const VERSION = 'v1alpha1'
export const API_VERSION = `${GROUP}/${VERSION}`

/** Labels and annotations of ours begin with the group. */
export const GATEWAY_LABEL = `${GROUP}/gateway`
export const PAUSED_ANNOTATION = `${GROUP}/paused`
/** On each of our CRDs: the version of the product that it came with. */
export const VERSION_ANNOTATION = `${GROUP}/version`
export const CONFIG_ANNOTATION = `${GROUP}/config`
