/**
 * Node's `http` module. An ES import of node:http reads each export of that module once, among them `WebSocket`, for
 * which Node loads the undici of its `fetch`: 13 MiB of resident memory that the gateway doesn't need.
 */
export const nodeHttp = process.getBuiltinModule('node:http')
