export { checkTokenCounterConfig } from './check-file.ts'
export { type DecodedFile, decodeFile } from './decode-file.ts'
export { lookUp, referencedNames } from './env-reference.ts'
export { jsonSchemas } from './json-schemas.ts'
