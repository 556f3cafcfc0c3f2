// What the web interface needs to say what the operator would say: no connection, no write, no Secret.
export { gatewayKeyOf, gatewayKeyOfProcessor } from './gateway-key.ts'
export {
  type BlindJudgement,
  type BlindStatus,
  type JudgedResources,
  judgeWithoutSecrets,
  snapshotWithoutSecrets,
} from './judge/judge-without-secrets.ts'
export { variablesOf } from './judge/variables-of.ts'
export { decodeGateway, decodeProcessor, decodeRouter } from './kube/decode-resource.ts'
export { GATEWAY_POD_LABEL } from './translate/kube-object.ts'
export { ADMIN_PORT, CONFIG_KEY, GATEWAY_PORT, namesOf } from './translate/names.ts'
