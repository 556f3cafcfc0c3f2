{{/* Returns the prefix of object names: the release's name, and the chart's name unless the release's name contains it. */}}
{{- define "llm-gateway.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- default $full .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "llm-gateway.operatorName" -}}
{{ include "llm-gateway.fullname" . }}-operator
{{- end -}}

{{/* Returns the name of objects outside namespaces. The namespace is part of it, so that equal releases don't share them. */}}
{{- define "llm-gateway.clusterName" -}}
{{ include "llm-gateway.operatorName" . }}.{{ .Release.Namespace }}
{{- end -}}

{{/* Returns the name of a role for web interfaces; takes the context and `read` or `edit`. */}}
{{- define "llm-gateway.webRoleName" -}}
{{- $root := index . 0 -}}
{{ include "llm-gateway.fullname" $root }}-web-{{ index . 1 }}.{{ $root.Release.Namespace }}
{{- end -}}

{{/* Returns ClusterRole, or Role if the operator watches some namespaces only. */}}
{{- define "llm-gateway.webRoleKind" -}}
{{ ternary "Role" "ClusterRole" (gt (len .Values.operator.watchNamespaces) 0) }}
{{- end -}}

{{- define "llm-gateway.serviceAccountName" -}}
{{ default (include "llm-gateway.operatorName" .) .Values.operator.serviceAccount.name }}
{{- end -}}

{{/* Returns the name of the lease of the operator's class, as in the operator's code. */}}
{{- define "llm-gateway.leaseName" -}}
llm-gateway-operator{{ if ne .Values.operator.class "default" }}-{{ .Values.operator.class }}{{ end }}
{{- end -}}

{{- define "llm-gateway.image" -}}
{{- $repository := .Values.image.repository -}}
{{- with .Values.image.registry }}{{ $repository = printf "%s/%s" . $repository }}{{ end -}}
{{- $tag := default .Chart.AppVersion .Values.image.tag -}}
{{- with .Values.image.digest }}{{ printf "%s@%s" $repository . }}{{ else }}{{ printf "%s:%s" $repository $tag }}{{ end -}}
{{- end -}}
