{{/* The settings of every service. The chart owns those of addresses, files and shutdown. Helm reads numbers as floats. */}}
{{- define "flagmeter.settings" -}}
{{- range $name, $value := .Values.settings }}
{{ $name }}: {{ kindIs "float64" $value | ternary (int64 $value) $value | toString | quote }}
{{- end }}
HTTP_HOST: 0.0.0.0
OPS_HOST: 0.0.0.0
OPS_PORT: "9464"
PORT: "4242"
SHUTDOWN_GRACE_MS: {{ int .Values.shutdownGraceMs | quote }}
{{- with .Values.tls.enginesSecret }}
TLS_CA_FILE: /run/tls/engines/ca.crt
{{- if $.Values.tls.clientCertificate }}
TLS_CERT_FILE: /run/tls/engines/tls.crt
TLS_KEY_FILE: /run/tls/engines/tls.key
{{- end }}
{{- end }}
{{- end }}

{{/* The names of the secret settings that a service reads: {"names": [...]}. Only migrate gets the initial tokens and the owner. */}}
{{- define "flagmeter.secretNames" -}}
{{- $names := list -}}
{{- range $name := keys .Values.secrets | sortAlpha -}}
{{- $owner := "" -}}
{{- if or (hasPrefix "INIT_" $name) (eq $name "DATABASE_OWNER_URL") }}{{ $owner = "migrate" }}{{ end -}}
{{- if has $name (list "OIDC_CLIENT_SECRET" "SECRETS_KEY") }}{{ $owner = "admin" }}{{ end -}}
{{- if eq $name "UNLEASH_MIRROR_TOKENS" }}{{ $owner = "unleash-bridge" }}{{ end -}}
{{- if or (eq $owner "") (eq $owner $.service) }}{{ $names = append $names $name }}{{ end -}}
{{- end -}}
{{- dict "names" $names | toJson -}}
{{- end }}
