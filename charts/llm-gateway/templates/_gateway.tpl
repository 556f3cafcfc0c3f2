{{/* Returns "true" if this release has an LLMGateway. */}}
{{- define "llm-gateway.hasGateway" -}}
{{- if or .Values.gateway.enabled .Values.demo.enabled }}true{{ end -}}
{{- end -}}

{{/* Returns the address of the LLM API of the default Routers; empty if there are none. */}}
{{- define "llm-gateway.apiBase" -}}
{{- if .Values.demo.enabled -}}
http://{{ include "llm-gateway.demoName" . }}.{{ .Release.Namespace }}.svc:8080
{{- else -}}
{{ .Values.aiServiceApiBase }}
{{- end -}}
{{- end -}}

{{/* Returns the LLM API's host in the form of `sharedEnv.hosts`: with its port unless 443, with http:// unless TLS. */}}
{{- define "llm-gateway.apiHost" -}}
{{- $parts := urlParse (include "llm-gateway.apiBase" .) -}}
{{ if eq $parts.scheme "http" }}http://{{ end }}{{ $parts.host | lower | trimSuffix ":443" }}
{{- end -}}

{{- define "llm-gateway.demoName" -}}
{{ include "llm-gateway.fullname" . }}-demo-llm
{{- end -}}

{{/* Returns the name of the Secret for keys that are written in the values. */}}
{{- define "llm-gateway.keysName" -}}
{{ include "llm-gateway.fullname" . }}-keys
{{- end -}}

{{/* Returns the name of the Secret for the bus's token, a separate one because no Router may read it. */}}
{{- define "llm-gateway.natsName" -}}
{{ include "llm-gateway.fullname" . }}-nats-token
{{- end -}}

{{/*
Returns the reference to a secret as JSON `{name, key}`, or nothing. Takes `value` and `reference` from the values, and the
`secret` and `key` that store a value written there.
*/}}
{{- define "llm-gateway.secretReference" -}}
{{- if .reference.name -}}
{{ dict "name" .reference.name "key" .reference.key | toJson }}
{{- else if .value -}}
{{ dict "name" .secret "key" .key | toJson }}
{{- end -}}
{{- end -}}

{{- define "llm-gateway.aiServiceApiKey" -}}
{{- include "llm-gateway.secretReference" (dict "value" .Values.aiServiceApiKey "reference" .Values.aiServiceApiKeySecretRef "secret" (include "llm-gateway.keysName" .) "key" "AISERVICE_API_KEY") -}}
{{- end -}}

{{- define "llm-gateway.gatewayApiKey" -}}
{{- include "llm-gateway.secretReference" (dict "value" .Values.gatewayApiKey "reference" .Values.gatewayApiKeySecretRef "secret" (include "llm-gateway.keysName" .) "key" "GATEWAY_API_KEY") -}}
{{- end -}}

{{- define "llm-gateway.natsToken" -}}
{{- include "llm-gateway.secretReference" (dict "value" .Values.natsToken "reference" .Values.natsTokenSecretRef "secret" (include "llm-gateway.natsName" .) "key" "NATS_TOKEN") -}}
{{- end -}}

{{/* Returns the name of the Secret for the web interface's password, a separate one because no Router may read it. */}}
{{- define "llm-gateway.guiName" -}}
{{ include "llm-gateway.fullname" . }}-gui-secret
{{- end -}}

{{- define "llm-gateway.guiSecret" -}}
{{- include "llm-gateway.secretReference" (dict "value" .Values.guiSecret "reference" .Values.guiSecretRef "secret" (include "llm-gateway.guiName" .) "key" "GUI_SECRET") -}}
{{- end -}}

{{/* Returns the name of the Secret with the gateway's certificate; empty if callers use no TLS. */}}
{{- define "llm-gateway.certificateSecret" -}}
{{- $fromSpec := dig "tls" "ingress" "secretRef" "name" "" .Values.gateway.spec -}}
{{- $made := ternary (printf "%s-tls" .Values.gateway.name) "" .Values.gateway.tls.certManager.enabled -}}
{{ coalesce $fromSpec .Values.gateway.tls.secretName $made | default "" }}
{{- end -}}

{{/* Returns the LLMGateway's spec from the values outside `gateway.spec`, as YAML; `gateway.spec` has precedence. */}}
{{- define "llm-gateway.gatewaySpec" -}}
{{- if ne .Values.operator.class "default" }}
class: {{ .Values.operator.class }}
{{- end }}
{{- $shared := list }}
{{- with include "llm-gateway.apiBase" . }}
{{- $shared = append $shared (dict "name" "AISERVICE_API_BASE" "value" .) }}
{{- end }}
{{- with include "llm-gateway.aiServiceApiKey" . }}
{{- $hosts := list (include "llm-gateway.apiHost" $) }}
{{- $shared = append $shared (dict "name" "AISERVICE_API_KEY" "valueFrom" (dict "secretKeyRef" (fromJson .)) "hosts" $hosts) }}
{{- end }}
{{- $named := list }}
{{- range .Values.gateway.spec.sharedEnv }}{{ $named = append $named .name }}{{ end }}
{{- $kept := list }}
{{- range $entry := $shared }}{{ if not (has $entry.name $named) }}{{ $kept = append $kept $entry }}{{ end }}{{ end }}
{{- with concat $kept (default (list) .Values.gateway.spec.sharedEnv) }}
sharedEnv:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "llm-gateway.natsToken" . }}
bus:
  tokenSecretRef: {{ . }}
{{- end }}
{{- with include "llm-gateway.guiSecret" . }}
webInterface:
  secretRef: {{ . }}
{{- end }}
{{- with include "llm-gateway.certificateSecret" . }}
tls:
  ingress:
    secretRef: { name: {{ . }} }
{{- end }}
{{- with .Values.imagePullSecrets }}
pod:
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end -}}

{{/* Returns the web interface's facts for NOTES as YAML: `is` if there is one, its mode, `tls`, and its Secret and key. */}}
{{- define "llm-gateway.webInterface" -}}
{{- $spec := mergeOverwrite (include "llm-gateway.gatewaySpec" . | fromYaml) (deepCopy .Values.gateway.spec) -}}
{{- if hasKey $spec "webInterface" -}}
{{- $web := default (dict) $spec.webInterface -}}
is: true
mode: {{ default "ReadOnly" $web.mode }}
tls: {{ hasKey $web "tls" }}
secret: {{ dig "secretRef" "name" (printf "%s-web" .Values.gateway.name) $web }}
key: {{ dig "secretRef" "key" "GUI_SECRET" $web }}
{{- end -}}
{{- end -}}
