{{- define "flagmeter.name" -}}
{{- $base := ternary .Release.Name (printf "%s-flagmeter" .Release.Name) (contains "flagmeter" .Release.Name) -}}
{{- $base | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "flagmeter.selector" -}}
app.kubernetes.io/name: flagmeter
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "flagmeter.labels" -}}
{{ include "flagmeter.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "flagmeter.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary (include "flagmeter.name" .) "" .Values.serviceAccount.create) -}}
{{- end }}

{{/* What the pods of a service have: `pods`, with the members that the service replaces. */}}
{{- define "flagmeter.pods" -}}
{{- mergeOverwrite (deepCopy .Values.pods) (deepCopy (get .Values .service).pods) | toJson -}}
{{- end }}

{{- define "flagmeter.services" -}}
ingest worker admin{{ if (get .Values "unleash-bridge").enabled }} unleash-bridge{{ end }}
{{- end }}
