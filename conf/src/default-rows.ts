const tokenCounter = { name: 'token_counter', service_bus_topic: 'llm.gl.tokencounter' }

/**
 * Rows of a gl_config.json that names none: the token counter caps requests
 * (docs/reference/processors.md#token-counter).
 */
export const defaultRequestRows = [
  [
    {
      ...tokenCounter,
      timeout: 1000,
      input_fields_include: ['gl_path', 'ingress_payload'],
      output_fields_write: ['control', 'control_status_code', 'control_headers'],
    },
  ],
]

/** Rows of a gl_config.json that names none: the token counter books answers. */
export const defaultResponseRows = [
  [
    {
      ...tokenCounter,
      timeout: 5000,
      async: true,
      input_fields_include: ['gl_path', 'original_gl_path', 'inbound_status_code', 'inbound_payload'],
      output_fields_write: ['token_count'],
    },
  ],
]
