{{/* Shared by all pods of the chart: accounts and placement. */}}
{{- define "bindery.pod" -}}
serviceAccountName: {{ .Values.serviceAccountName }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Shared by all containers of the chart: the image, no privileges, a read-only root, the service's settings. */}}
{{- define "bindery.container" -}}
image: {{ include "bindery.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env: {{- include "bindery.settings" . | nindent 2 }}
volumeMounts:
  - { name: data, mountPath: /data }
  - { name: tmp, mountPath: /tmp }
{{- end }}

{{- define "bindery.settings" -}}
# A folder within the volume, so that the service creates it and owns it.
- { name: BINDERY_DATA_DIR, value: /data/bindery }
- { name: BINDERY_PUBLIC_URL, value: {{ .Values.publicUrl | quote }} }
- name: BINDERY_DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ .Values.database.secret }}, key: {{ .Values.database.key }} } }
- { name: BINDERY_OBJECTS, value: {{ .Values.objects.url | quote }} }
- { name: BINDERY_OBJECT_CACHE_MIB, value: {{ .Values.objects.cacheMebibytes | int | quote }} }
- { name: BINDERY_DRAIN, value: {{ .Values.drainSeconds | int | quote }} }
- { name: BINDERY_TRUSTED_PROXIES, value: {{ .Values.trustedProxies | quote }} }
- { name: AWS_REGION, value: {{ .Values.objects.region | quote }} }
{{- with .Values.objects.endpoint }}
- { name: AWS_ENDPOINT_URL, value: {{ . | quote }} }
{{- end }}
{{- with .Values.objects }}
{{- if .secret }}
- name: AWS_ACCESS_KEY_ID
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .accessKeyIdKey }} } }
- name: AWS_SECRET_ACCESS_KEY
  valueFrom: { secretKeyRef: { name: {{ .secret }}, key: {{ .secretAccessKeyKey }} } }
{{- end }}
{{- end }}
{{- if .Values.metrics.enabled }}
- { name: BINDERY_METRICS, value: "0.0.0.0:9464" }
{{- end }}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- range $name, $from := .Values.secretSettings }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $from.secret }}, key: {{ $from.key }} } }
{{- end }}
{{- end }}
