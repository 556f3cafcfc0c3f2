/** The name under which the API server keeps what the operator applied. */
export const FIELD_MANAGER = 'llm-gateway-operator'
