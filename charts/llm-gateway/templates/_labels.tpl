{{/*
The first one never follows the release: the operator's NetworkPolicies let its own pods in by it.
*/}}
{{- define "llm-gateway.operatorSelector" -}}
app.kubernetes.io/name: llm-gateway-operator
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Of every object of the release; `name` tells what it belongs to. */}}
{{- define "llm-gateway.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: llm-gateway
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "llm-gateway.operatorLabels" -}}
{{ include "llm-gateway.operatorSelector" . }}
{{ include "llm-gateway.labels" . }}
{{- end -}}

{{/* Metadata below `metadata:` of an operator's object, without its name. */}}
{{- define "llm-gateway.operatorMetadata" -}}
labels:
  {{- include "llm-gateway.operatorLabels" . | nindent 2 }}
{{- with .Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
