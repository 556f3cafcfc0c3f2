/** The API group of all three kinds. */
export const GROUP = 'llmgateway.io'
export const VERSION = 'v1alpha1'
export const API_VERSION = `${GROUP}/${VERSION}`

// Our labels and annotations begin with the group.

/** The label of gateway pods, with the gateway's name. */
export const GATEWAY_LABEL = `${GROUP}/gateway`
export const PAUSED_ANNOTATION = `${GROUP}/paused`
/** The annotation of each of our CRDs with the version of the product that it came with. */
export const VERSION_ANNOTATION = `${GROUP}/version`
export const CONFIG_ANNOTATION = `${GROUP}/config`
