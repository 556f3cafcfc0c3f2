/** The beginning of the page. */
export const API_INTRODUCTION: readonly string[] = [
  'The page of the web interface and scripts speak this API. `/api/v1/openapi.json` is the same as an OpenAPI 3.1 document.',
]

/** Worked examples by the name of a group of requests. */
export const API_EXAMPLES: Readonly<Record<string, readonly string[]>> = {}
