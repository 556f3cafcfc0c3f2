{{/* What the account of a web interface may read: nothing of Secrets, nothing in a pod. */}}
{{- define "llm-gateway.webReadRules" -}}
- apiGroups: [llmgateway.io]
  resources: [llmgateways, routers, processors]
  verbs: [get, list, watch]
# What runs, and what is told of it.
- apiGroups: [""]
  resources: [pods, events]
  verbs: [get, list, watch]
- apiGroups: [apps]
  resources: [deployments]
  verbs: [get, list, watch]
- apiGroups: [events.k8s.io]
  resources: [events]
  verbs: [get, list, watch]
# The gateway's file. Its name is the gateway's, which no role of a chart knows: by name and without a list.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get]
{{- end -}}

{{/* What people may bind to it beside that, where `webInterface.mode` is Edit. */}}
{{- define "llm-gateway.webEditRules" -}}
- apiGroups: [llmgateway.io]
  resources: [routers, processors]
  verbs: [create, patch, delete]
- apiGroups: [llmgateway.io]
  resources: [llmgateways]
  verbs: [patch]
{{- end -}}
