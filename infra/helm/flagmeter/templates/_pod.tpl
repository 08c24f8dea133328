{{/* The parts that all pods share. The argument is the root with `service` added. */}}
{{- define "flagmeter.podSettings" -}}
{{- $pods := include "flagmeter.pods" . | fromJson -}}
automountServiceAccountToken: false
{{- with include "flagmeter.serviceAccount" . }}
serviceAccountName: {{ . }}
{{- end }}
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with $pods.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $pods.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $pods.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $pods.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 64Mi }
{{- $names := (include "flagmeter.secretNames" . | fromJson).names }}
{{- if $names }}
  - name: secrets
    projected:
      defaultMode: 0440
      sources:
{{- range $name := $names }}
{{- $secret := get $.Values.secrets $name }}
        - secret:
            name: {{ $secret.name }}
            items: [{ key: {{ $secret.key | quote }}, path: {{ $name }} }]
{{- end }}
{{- end }}
{{- with .Values.tls.enginesSecret }}
  - name: engines-tls
    secret: { secretName: {{ . }}, defaultMode: 0440 }
{{- end }}
{{- if and .Values.tls.listenSecret (has .service (list "ingest" "admin")) }}
  - name: listen-tls
    secret: { secretName: {{ .Values.tls.listenSecret }}, defaultMode: 0440 }
{{- end }}
{{- with $pods.volumes }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}

{{/* The labels and annotations that somebody gave to the pods of a service. */}}
{{- define "flagmeter.podLabels" -}}
{{- with (include "flagmeter.pods" . | fromJson).labels }}{{ toYaml . }}{{ end }}
{{- end }}

{{- define "flagmeter.podAnnotations" -}}
{{- with (include "flagmeter.pods" . | fromJson).annotations }}{{ toYaml . }}{{ end }}
{{- end }}

{{- define "flagmeter.containerSettings" -}}
{{- $pods := include "flagmeter.pods" . | fromJson -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- $names := (include "flagmeter.secretNames" . | fromJson).names }}
{{- $listens := and .Values.tls.listenSecret (has .service (list "ingest" "admin")) }}
{{- if or $names $listens $pods.env }}
env:
{{- range $names }}
  - { name: {{ . }}_FILE, value: /run/secrets/flagmeter/{{ . }} }
{{- end }}
{{- if $listens }}
  - { name: LISTEN_TLS_CERT_FILE, value: /run/tls/listen/tls.crt }
  - { name: LISTEN_TLS_KEY_FILE, value: /run/tls/listen/tls.key }
{{- end }}
{{- with $pods.env }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
{{- if $names }}
  - { name: secrets, mountPath: /run/secrets/flagmeter, readOnly: true }
{{- end }}
{{- if .Values.tls.enginesSecret }}
  - { name: engines-tls, mountPath: /run/tls/engines, readOnly: true }
{{- end }}
{{- if $listens }}
  - { name: listen-tls, mountPath: /run/tls/listen, readOnly: true }
{{- end }}
{{- with $pods.volumeMounts }}
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}
