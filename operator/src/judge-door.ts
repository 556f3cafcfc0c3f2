// The operator's judgement for the web interface. The judgement needs no connection, no write and no Secret.

export {
  type JudgedResources,
  judgeWithoutSecrets,
  type SecretlessJudgement,
  type SecretlessStatus,
  snapshotWithoutSecrets,
} from './judge/judge-without-secrets.ts'
export { variablesOf } from './judge/variables-of.ts'
export { decodeLean } from './kube/decode-lean.ts'
export { decodeGateway, decodeProcessor, decodeRouter } from './kube/decode-resource.ts'
export { unpackTextAtOnce } from './kube/unpack-text.ts'
export { gatewayKeyOf, gatewayKeyOfProcessor } from './model/gateway-key.ts'
export { GATEWAY_POD_LABEL } from './model/kube-object.ts'
export { ADMIN_PORT, CONFIG_KEY, GATEWAY_PORT, namesOf } from './model/names.ts'
