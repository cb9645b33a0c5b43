{{- define "toolmark.name" -}}
{{ .Release.Name | trunc 45 | trimSuffix "-" }}
{{- end }}

{{- define "toolmark.secret" -}}
{{ if .Values.local.enabled }}{{ include "toolmark.name" . }}-secrets{{ else }}{{ .Values.existingSecret }}{{ end }}
{{- end }}

{{- define "toolmark.version" -}}
{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The tag may be a digest. */}}
{{- define "toolmark.image" -}}
{{- $version := include "toolmark.version" . -}}
{{ .Values.image.repository }}{{ ternary "@" ":" (hasPrefix "sha256:" $version) }}{{ $version }}
{{- end }}

{{/* Labels that never change, by component: call with (list $ "api"). */}}
{{- define "toolmark.selector" -}}
{{- $ := index . 0 -}}
app.kubernetes.io/name: toolmark
app.kubernetes.io/instance: {{ $.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "toolmark.labels" -}}
{{- $ := index . 0 -}}
{{ include "toolmark.selector" . }}
app.kubernetes.io/version: {{ regexReplaceAll "[^A-Za-z0-9_.-]+" (include "toolmark.version" $) "-" | trunc 63 | trimAll "-_." | quote }}
app.kubernetes.io/managed-by: {{ $.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" $.Chart.Name $.Chart.Version | replace "+" "_" }}
{{- end }}

{{/* A value of `env` as a string: helm reads numbers as floating point. */}}
{{- define "toolmark.text" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) }}{{ int64 . | quote }}{{ else }}{{ toString . | quote }}{{ end }}
{{- end }}

{{/*
Variables from the Secret: call with (list $ "DATABASE_URL" ...). They are optional so that a process starts without
them and says which ones it lacks; a pod that cannot start has no log.
*/}}
{{- define "toolmark.secretEnv" -}}
{{- $ := index . 0 -}}
{{- range rest . }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ include "toolmark.secret" $ }}
      key: {{ . }}
      optional: true
{{- end }}
{{- end }}

{{/* Variables that the values give: call with (list $ <more variables>). */}}
{{- define "toolmark.givenEnv" -}}
{{- $ := index . 0 -}}
{{- if $.Values.caCertificates.configMap }}
{{- range $name := list "NODE_EXTRA_CA_CERTS" "TOOLMARK_EXTRA_CA" }}
- name: {{ $name }}
  value: /etc/toolmark/ca/{{ $.Values.caCertificates.key }}
{{- end }}
{{- end }}
{{- range $name, $value := merge (dict) (index . 1) $.Values.env }}
- name: {{ $name }}
  value: {{ include "toolmark.text" $value }}
{{- end }}
{{- range $name, $key := $.Values.secretEnv }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ include "toolmark.secret" $ }}
      key: {{ $key }}
{{- end }}
{{- end }}

{{/* Variables of APIs and workers: call with (list $ <values of the process>). */}}
{{- define "toolmark.processEnv" -}}
{{- $ := index . 0 -}}
{{- $process := index . 1 -}}
{{- include "toolmark.secretEnv" (list $ "DATABASE_URL" "REDIS_URL" "TOOLMARK_SEALING_KEY" "TOOLMARK_SEALING_KEYS") }}
- name: TOOLMARK_DATABASE_POOL
  value: {{ $.Values.databasePool | quote }}
- name: TOOLMARK_METRICS_PORT
  value: {{ $.Values.metrics.port | quote }}
- name: NODE_OPTIONS
  value: --max-semi-space-size=16 --max-old-space-size={{ $process.heapMiB }}
{{- include "toolmark.egressEnv" $ }}
{{- if $.Values.keyRefs.existingSecret }}
- name: TOOLMARK_KEY_REFS_FILE
  value: /etc/toolmark/key-refs/{{ $.Values.keyRefs.key }}
{{- end }}
{{- include "toolmark.givenEnv" (list $ $process.env) }}
{{- end }}

{{/* Where requests may go, and through which proxy. The simulator of local.enabled has a private address. */}}
{{- define "toolmark.egressEnv" -}}
{{- $simulator := ternary (list (printf "%s-simulator:8502" (include "toolmark.name" .))) list .Values.local.enabled }}
{{- with concat $simulator .Values.allowedNetworks }}
- name: TOOLMARK_ALLOWED_NETWORKS
  value: {{ join "," . | quote }}
{{- end }}
{{- if .Values.allowPrivateNetworks }}
- name: TOOLMARK_ALLOW_PRIVATE_NETWORKS
  value: 'true'
{{- end }}
{{- with .Values.proxy.https }}
- name: HTTPS_PROXY
  value: {{ . | quote }}
{{- end }}
{{- with .Values.proxy.http }}
- name: HTTP_PROXY
  value: {{ . | quote }}
{{- end }}
{{- with concat $simulator .Values.proxy.noProxy }}
- name: NO_PROXY
  value: {{ join "," . | quote }}
{{- end }}
{{- end }}

{{/* Metadata of pods: call with (list $ "api" <values of its pods> <more annotations>). */}}
{{- define "toolmark.podMetadata" -}}
{{- $ := index . 0 -}}
{{- $pod := index . 2 -}}
labels:
  {{- merge (include "toolmark.selector" . | fromYaml) ($pod.labels | default dict) | toYaml | nindent 2 }}
{{- with merge (dict) (index . 3) ($pod.annotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "toolmark.imagePullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* What the specs of all pods of Toolmark share: call with (list $ <values of its pods> <more volumes>). */}}
{{- define "toolmark.podSpec" -}}
{{- $ := index . 0 -}}
{{- $pod := index . 1 -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  {{- toYaml $.Values.podSecurityContext | nindent 2 }}
{{- with $.Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- include "toolmark.imagePullSecrets" $ }}
{{- range $key := list "nodeSelector" "tolerations" "affinity" "priorityClassName" }}
{{- with index $pod $key }}
{{ $key }}: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- with include "toolmark.caVolume" $ | fromYamlArray | concat (rest (rest .) | first | default list) }}
volumes:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "toolmark.caVolume" -}}
{{- with .Values.caCertificates.configMap }}
- name: ca
  configMap:
    name: {{ . }}
{{- end }}
{{- end }}

{{/* Optional, like the variables from the Secret: an API without the file says what it lacks. */}}
{{- define "toolmark.signInVolume" -}}
{{- with .Values.signIn.existingSecret }}
- name: sign-in
  secret:
    secretName: {{ . }}
    optional: true
{{- end }}
{{- end }}

{{/* Kubernetes replaces what is in it when a Secret changes, and the processes read it again. */}}
{{- define "toolmark.keyRefsVolume" -}}
{{- with .Values.keyRefs }}
{{- if .existingSecret }}
- name: key-refs
  projected:
    sources:
      {{- range concat (list .existingSecret) .moreSecrets }}
      - secret: { name: {{ . }}, optional: true }
      {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{/* Names of the volumes of APIs and workers: call with (list $ <names of more>). */}}
{{- define "toolmark.volumeNames" -}}
{{- $ := index . 0 -}}
{{ concat (ternary (list "key-refs") list (ne $.Values.keyRefs.existingSecret "")) (rest .) | toJson }}
{{- end }}

{{/* What the containers of Toolmark share: call with (list $ <names of more volumes>). */}}
{{- define "toolmark.container" -}}
{{- $ := index . 0 -}}
image: {{ include "toolmark.image" $ | quote }}
imagePullPolicy: {{ $.Values.image.pullPolicy }}
terminationMessagePolicy: FallbackToLogsOnError
securityContext:
  {{- include "toolmark.unprivileged" $ | nindent 2 }}
{{- with concat (ternary (list "ca") list (ne $.Values.caCertificates.configMap "")) (rest .) }}
volumeMounts:
  {{- range . }}
  - name: {{ . }}
    mountPath: /etc/toolmark/{{ . }}
    readOnly: true
  {{- end }}
{{- end }}
{{- end }}

{{- define "toolmark.unprivileged" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{/* Call with the values of the process. No CPU limit: it would slow a process down while the node has CPU to spare. */}}
{{- define "toolmark.resources" -}}
resources:
  requests:
    cpu: {{ .cpuRequest | quote }}
    memory: {{ .memoryRequestMiB }}Mi
  limits:
    memory: {{ .memoryLimitMiB }}Mi
{{- end }}

{{/* While a process waits for a store, /healthz answers 200: a restart would not help. */}}
{{- define "toolmark.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 2
  failureThreshold: 150
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 5
  timeoutSeconds: 3
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
{{- end }}

{{/* Over hosts and zones, as far as there is room: call with (list $ "api"). */}}
{{- define "toolmark.spread" -}}
{{- $selector := include "toolmark.selector" . -}}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- $selector | nindent 8 }}
  {{- end }}
{{- end }}

{{/* Replaces the pods at the next upgrade after the Secret changed. The chart's own Secret does not change. */}}
{{- define "toolmark.rollOnChange" -}}
{{- if and .Values.checkSecret .Values.existingSecret (not .Values.local.enabled) }}
{{- with lookup "v1" "Secret" .Release.Namespace .Values.existingSecret -}}
checksum/secret: {{ .data | toJson | sha256sum | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/* The same for what only APIs read. */}}
{{- define "toolmark.rollApiOnChange" -}}
{{ include "toolmark.rollOnChange" . }}
{{- if and .Values.checkSecret .Values.signIn.existingSecret }}
{{- with lookup "v1" "Secret" .Release.Namespace .Values.signIn.existingSecret }}
checksum/sign-in: {{ .data | toJson | sha256sum | quote }}
{{- end }}
{{- end }}
{{- end }}
