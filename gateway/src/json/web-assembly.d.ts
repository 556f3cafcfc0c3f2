// The used part of WebAssembly's JavaScript interface, which TypeScript declares only in its types for browsers.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    readonly exports: Readonly<Record<string, unknown>>
    constructor(module: Module)
  }
  class Memory {
    readonly buffer: ArrayBuffer
  }
}
