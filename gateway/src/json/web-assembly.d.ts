// The part of WebAssembly's JavaScript interface that is used here: TypeScript has it only together with a browser's.
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
