/** A ConfigMap and a Secret hold 1 MiB each. The rest is room for their other fields. */
export const MAX_OBJECT_BYTES = 1_000_000
/** The gateway unpacks at most 64 MiB. A quarter of that leaves operator and gateway room for their copies. */
export const MAX_TEXT_BYTES = 16 * 1024 * 1024
/** etcd takes requests of up to 1.5 MiB. */
export const MAX_STORED_BYTES = 1_450_000
/** A request has each key of a Secret twice: in data and in managedFields. */
export const KEY_BYTES = 56
