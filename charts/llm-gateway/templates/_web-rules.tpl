{{/* Returns the read rights of a web interface's account: no Secrets, and no commands or logs in pods. */}}
{{- define "llm-gateway.webReadRules" -}}
- apiGroups: [llmgateway.io]
  resources: [llmgateways, routers, processors]
  verbs: [get, list, watch]
# Pods, workloads and events.
- apiGroups: [""]
  resources: [pods, events]
  verbs: [get, list, watch]
- apiGroups: [apps]
  resources: [deployments]
  verbs: [get, list, watch]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [get, list, watch]
# The gateway's file. A role of the chart can't name it, because its name is the gateway's; without `list` the name is needed.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get]
{{- end -}}

{{/* Returns the edit rights that people may bind to the account if `webInterface.mode` is Edit. */}}
{{- define "llm-gateway.webEditRules" -}}
- apiGroups: [llmgateway.io]
  resources: [routers, processors]
  verbs: [create, patch, delete]
- apiGroups: [llmgateway.io]
  resources: [llmgateways]
  verbs: [patch]
{{- end -}}
