{{/* Every line is one problem of the values: what is wrong, and the way out. */}}
{{- define "toolmark.problems" -}}
{{- include "toolmark.memoryProblems" . }}
{{- include "toolmark.postgresProblems" . }}
{{- include "toolmark.autoscalingProblems" . }}
{{- include "toolmark.networkProblems" . }}
{{- include "toolmark.egressProblems" . }}
{{- include "toolmark.signInProblems" . }}
{{- include "toolmark.keyRefsProblems" . }}
{{- include "toolmark.envProblems" . }}
{{- include "toolmark.storeProblems" . }}
{{- if include "toolmark.isOnCluster" . }}
{{- include "toolmark.secretProblems" . }}
{{- include "toolmark.signInSecretProblems" . }}
{{- include "toolmark.kindProblems" . }}
{{- end }}
{{- end }}

{{- define "toolmark.memoryProblems" -}}
{{- range $name := list "api" "worker" }}
{{- with index $.Values $name }}
{{- if lt (int .memoryLimitMiB) (add .heapMiB 400 | int) }}
{{ $name }}.memoryLimitMiB {{ .memoryLimitMiB }} does not hold a heap of {{ $name }}.heapMiB {{ .heapMiB }}: beside it a process needs 400 MiB. Set the limit to {{ add .heapMiB 400 }} or more, or the heap to {{ max 64 (sub .memoryLimitMiB 400) }} or less.
{{- end }}
{{- if gt (int .memoryRequestMiB) (int .memoryLimitMiB) }}
{{ $name }}.memoryRequestMiB {{ .memoryRequestMiB }} is above {{ $name }}.memoryLimitMiB {{ .memoryLimitMiB }}: lower the request, or raise the limit.
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "toolmark.workers" -}}
{{ ternary .Values.worker.replicas .Values.autoscaling.maxWorkers (eq .Values.autoscaling.kind "none") }}
{{- end }}

{{/* Connections to Postgres at most: of so many workers, and of all APIs while one more of them starts. */}}
{{- define "toolmark.connections" -}}
{{- $ := index . 0 -}}
{{ add (mul (index . 1) (add $.Values.databasePool 13)) (mul (add $.Values.api.replicas 1) (add $.Values.databasePool 4)) }}
{{- end }}

{{- define "toolmark.postgresProblems" -}}
{{- with .Values }}
{{- $workers := include "toolmark.workers" $ | int }}
{{- $needed := include "toolmark.connections" (list $ $workers) | int }}
{{- if and (int .postgres.maxConnections) (not .postgres.pooled) (ge $needed (int .postgres.maxConnections)) }}
postgres.maxConnections {{ .postgres.maxConnections }} is not enough: {{ $workers }} workers ({{ if eq .autoscaling.kind "none" }}worker.replicas{{ else }}autoscaling.maxWorkers{{ end }}) with {{ add .databasePool 13 }} connections each and {{ add .api.replicas 1 }} APIs (api.replicas and one during an upgrade) with {{ add .databasePool 4 }} each make {{ $needed }}. Lower databasePool or the number of workers, raise max_connections of Postgres to more than {{ $needed }}, or put PgBouncer in front and set postgres.pooled.
{{- end }}
{{- end }}
{{- end }}

{{- define "toolmark.autoscalingProblems" -}}
{{- with .Values.autoscaling }}
{{- if ne .kind "none" }}
{{- if gt (int .minWorkers) (int .maxWorkers) }}
autoscaling.minWorkers {{ .minWorkers }} is above autoscaling.maxWorkers {{ .maxWorkers }}: lower the one, or raise the other.
{{- end }}
{{- if lt (int .minWorkers) 1 }}
autoscaling.minWorkers is 0: set it to 1 or more. For no workers while there is no work, set autoscaling.scaleToZero as well (with KEDA).
{{- end }}
{{- end }}
{{- if and .scaleToZero (ne .kind "keda") }}
autoscaling.scaleToZero needs autoscaling.kind keda; it is {{ .kind }}. A HorizontalPodAutoscaler does not go below one.
{{- end }}
{{- if and .prometheusAddress (ne .kind "keda") }}
autoscaling.prometheusAddress is for autoscaling.kind keda; it is {{ .kind }}. Remove the address, or set the kind.
{{- end }}
{{- if and .metricLabels (eq .kind "none") }}
autoscaling.metricLabels select the metric of an autoscaler, and autoscaling.kind is none. Remove them, or set the kind.
{{- end }}
{{- if and .metricLabels (eq .kind "keda") (not .prometheusAddress) }}
autoscaling.metricLabels select a series in Prometheus, and KEDA asks the API itself. Remove them, or set autoscaling.prometheusAddress.
{{- end }}
{{- end }}
{{- end }}

{{- define "toolmark.networkProblems" -}}
{{- with .Values }}
{{- if has (int .metrics.port) (list 8501 8503) }}
metrics.port {{ .metrics.port }} is the port of {{ ternary "the API" "a worker's health" (eq (int .metrics.port) 8501) }} itself: choose another one, such as 9464.
{{- end }}
{{- if and .ingress.enabled .httpRoute.enabled }}
ingress.enabled and httpRoute.enabled would both lead to the API: choose one.
{{- end }}
{{- if and .ingress.enabled (not .ingress.host) }}
ingress.host is empty: set the host name under which people open Toolmark.
{{- end }}
{{- if and .httpRoute.enabled (not .httpRoute.parentRefs) }}
httpRoute.parentRefs is empty: name the Gateway, such as --set httpRoute.parentRefs[0].name=public,httpRoute.parentRefs[0].namespace=gateways
{{- end }}
{{- if and .networkPolicy.enabled (not .networkPolicy.stores) (not .local.enabled) }}
networkPolicy.stores is empty, so nothing would reach Postgres and Redis: give the egress rules to them, such as [{to: [{ipBlock: {cidr: 10.0.5.0/24}}], ports: [{port: 5432}, {port: 6379}]}].
{{- end }}
{{- end }}
{{- end }}

{{/* A proxy with a password belongs into the Secret: values are readable in the cluster, and in the release's history. */}}
{{- define "toolmark.egressProblems" -}}
{{- if and .Values.allowPrivateNetworks .Values.allowedNetworks }}
allowPrivateNetworks allows every private address, so allowedNetworks would change nothing: remove allowPrivateNetworks.
{{- end }}
{{- range $value, $name := dict "https" "HTTPS_PROXY" "http" "HTTP_PROXY" }}
{{- if contains "@" (get $.Values.proxy $value) }}
proxy.{{ $value }} holds a password: put the address into the Secret, and name its key with secretEnv.{{ $name }} instead.
{{- end }}
{{- range $path, $env := dict "env" $.Values.env "api.env" $.Values.api.env "worker.env" $.Values.worker.env }}
{{- if hasKey $env $name }}
{{ $path }}.{{ $name }} is not possible: set proxy.{{ $value }}, or secretEnv.{{ $name }} for a proxy with a password.
{{- end }}
{{- end }}
{{- if and (get $.Values.proxy $value) (hasKey $.Values.secretEnv $name) }}
proxy.{{ $value }} and secretEnv.{{ $name }} are both given: remove one.
{{- end }}
{{- end }}
{{- end }}

{{- define "toolmark.signInProblems" -}}
{{- if and .Values.signIn.existingSecret (not .Values.publicUrl) }}
signIn.existingSecret needs publicUrl, from which providers of sign-in lead back: set the address at which people open Toolmark, such as https://toolmark.example
{{- end }}
{{- end }}

{{- define "toolmark.keyRefsProblems" -}}
{{- if and .Values.keyRefs.moreSecrets (not .Values.keyRefs.existingSecret) }}
keyRefs.moreSecrets needs keyRefs.existingSecret, the Secret with the list that names them: make it, and set its name.
{{- end }}
{{- end }}

{{- define "toolmark.envProblems" -}}
{{- $elsewhere := dict
  "DATABASE_URL" "put it into the Secret"
  "MIGRATE_DATABASE_URL" "put it into the Secret"
  "REDIS_URL" "put it into the Secret"
  "TOOLMARK_SEALING_KEY" "put it into the Secret"
  "TOOLMARK_SEALING_KEYS" "put it into the Secret"
  "TOOLMARK_ADMIN_TOKEN" "put it into the Secret"
  "PORT" "the ports in a pod are fixed"
  "TOOLMARK_SERVER" "the command line in a pod asks that pod"
  "TOOLMARK_PUBLIC_URL" "set publicUrl"
  "TOOLMARK_SIGN_IN_FILE" "set signIn.existingSecret"
  "TOOLMARK_KEY_REFS_FILE" "set keyRefs.existingSecret"
  "TOOLMARK_TRUSTED_PROXIES" "set trustedProxies"
  "TOOLMARK_REQUESTS_PER_MINUTE" "set limits.requestsPerMinute"
  "TOOLMARK_USER_REQUESTS_PER_MINUTE" "set limits.userRequestsPerMinute"
  "TOOLMARK_OPEN_REQUESTS_PER_MINUTE" "set limits.openRequestsPerMinute"
  "TOOLMARK_FAILED_SIGN_INS_PER_MINUTE" "set limits.failedSignInsPerMinute"
  "TOOLMARK_SOCKETS_PER_TOKEN" "set limits.socketsPerToken"
  "TOOLMARK_SUBSCRIPTIONS_PER_SOCKET" "set limits.subscriptionsPerSocket"
  "TOOLMARK_KEEP_AUDIT_DAYS" "set keepAuditDays"
  "TOOLMARK_METRICS_PORT" "set metrics.port"
  "TOOLMARK_DATABASE_POOL" "set databasePool"
  "TOOLMARK_DRAIN_SECONDS" "set worker.drainSeconds, which gives the pod as much time"
  "TOOLMARK_ALLOWED_NETWORKS" "set allowedNetworks"
  "TOOLMARK_ALLOW_PRIVATE_NETWORKS" "set allowedNetworks"
  "TOOLMARK_EXTRA_CA" "set caCertificates.configMap"
  "NO_PROXY" "set proxy.noProxy"
  "NODE_OPTIONS" "set api.heapMiB and worker.heapMiB"
  "NODE_EXTRA_CA_CERTS" "set caCertificates.configMap"
}}
{{- range $path, $env := dict "env" .Values.env "api.env" .Values.api.env "worker.env" .Values.worker.env "secretEnv" .Values.secretEnv }}
{{- range $name, $value := $env }}
{{- with get $elsewhere $name }}
{{ $path }}.{{ $name }} is not possible: {{ . }}.
{{- end }}
{{- if and (ne $path "secretEnv") (hasKey $.Values.secretEnv $name) }}
{{ $path }}.{{ $name }} and secretEnv.{{ $name }} are both given: remove one.
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "toolmark.storeProblems" -}}
{{- with .Values }}
{{- if not (or .existingSecret .local.enabled) }}
existingSecret is empty. Make a Secret, and name it with --set existingSecret=toolmark:
  {{ include "toolmark.createSecret" (list $ "toolmark") }}
  To try Toolmark with its own Postgres and Redis, use -f values/local.yaml instead.
{{- end }}
{{- if and .local.enabled .existingSecret }}
existingSecret {{ .existingSecret }} is not used with local.enabled, which makes a Secret for its own Postgres and Redis: remove one of them.
{{- end }}
{{- if and .local.enabled .postgres.pooled }}
postgres.pooled is not true with local.enabled, whose Postgres has no pooler: remove it.
{{- end }}
{{- end }}
{{- end }}

{{/* How to make the Secret: call with (list $ <its name>). */}}
{{- define "toolmark.createSecret" -}}
{{- $ := index . 0 -}}
kubectl create secret generic {{ index . 1 }} --namespace {{ $.Release.Namespace }} --from-literal=DATABASE_URL=postgresql://USER:PASSWORD@HOST:5432/toolmark --from-literal=REDIS_URL=redis://:PASSWORD@HOST:6379 --from-literal=TOOLMARK_SEALING_KEY=$(openssl rand -hex 32) --from-literal=TOOLMARK_ADMIN_TOKEN=tm_$(openssl rand -hex 32)
{{- end }}

{{/*
"true" if there is a cluster to look at: the list of Secrets has a kind even if there are none. `helm template` and
Argo CD render without one.
*/}}
{{- define "toolmark.isOnCluster" -}}
{{- if .Values.checkSecret }}{{ if lookup "v1" "Secret" .Release.Namespace "" }}true{{ end }}{{ end }}
{{- end }}

{{- define "toolmark.secretProblems" -}}
{{- $name := .Values.existingSecret }}
{{- if and $name (not .Values.local.enabled) }}
{{- $secret := lookup "v1" "Secret" .Release.Namespace $name }}
{{- if not $secret }}
existingSecret {{ $name }} is not in namespace {{ .Release.Namespace }}. Make it (and the namespace before it, if that is new):
  {{ include "toolmark.createSecret" (list . $name) }}
{{- else }}
{{- include "toolmark.keyProblems" (list . ($secret.data | default dict)) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "toolmark.signInSecretProblems" -}}
{{- $name := .Values.signIn.existingSecret }}
{{- $key := .Values.signIn.key }}
{{- if $name }}
{{- $secret := lookup "v1" "Secret" .Release.Namespace $name }}
{{- if not (hasKey (($secret).data | default dict) $key) }}
Secret {{ $name }} of signIn.existingSecret is not in namespace {{ .Release.Namespace }}, or has no {{ $key }}. Make it: kubectl create secret generic {{ $name }} --namespace {{ .Release.Namespace }} --from-file={{ $key }}=sign-in.yaml
{{- end }}
{{- end }}
{{- end }}

{{/* Never prints a value. Call with (list $ <data of the Secret>). */}}
{{- define "toolmark.keyProblems" -}}
{{- $ := index . 0 -}}
{{- $data := index . 1 -}}
{{- $forms := dict
  "DATABASE_URL" (list "^postgres(ql)?://[^\\s/]\\S*\\s*$" "a URL such as postgresql://user:password@host:5432/toolmark")
  "MIGRATE_DATABASE_URL" (list "^postgres(ql)?://[^\\s/]\\S*\\s*$" "a URL such as postgresql://user:password@host:5432/toolmark")
  "REDIS_URL" (list "^rediss?(\\+sentinel|\\+cluster)?://\\S+\\s*$" "a URL such as redis://:password@host:6379")
  "TOOLMARK_SEALING_KEY" (list "^[0-9a-fA-F]{64}$" "64 hexadecimal digits (openssl rand -hex 32), without a line break")
  "TOOLMARK_SEALING_KEYS" (list "^\\s*[0-9a-fA-F]{64}(\\s*,\\s*[0-9a-fA-F]{64}){0,9}\\s*$" "up to ten keys of 64 hexadecimal digits, separated by commas")
  "TOOLMARK_ADMIN_TOKEN" (list "^\\S{16,}$" "16 characters or more, without spaces and line breaks")
}}
{{- $single := get $data "TOOLMARK_SEALING_KEY" | b64dec | lower }}
{{- $ring := get $data "TOOLMARK_SEALING_KEYS" | b64dec | lower }}
{{- $optional := list "MIGRATE_DATABASE_URL" "TOOLMARK_ADMIN_TOKEN" (ternary "TOOLMARK_SEALING_KEY" "TOOLMARK_SEALING_KEYS" (ne $ring "")) }}
{{- if and $single $ring (not (contains $single $ring)) }}
TOOLMARK_SEALING_KEY in Secret {{ $.Values.existingSecret }} is none of TOOLMARK_SEALING_KEYS, which takes its place. Add it there at the end, or take it away: kubectl patch secret {{ $.Values.existingSecret }} --namespace {{ $.Release.Namespace }} --type json --patch '[{"op":"remove","path":"/data/TOOLMARK_SEALING_KEY"}]'
{{- end }}
{{- range $key, $form := $forms }}
{{- $value := get $data $key | b64dec }}
{{- if and (not $value) (not (has $key $optional)) }}
Secret {{ $.Values.existingSecret }} has no {{ $key }}, which must be {{ index $form 1 }}. {{ include "toolmark.patchSecret" (list $ $key) }}
{{- else if and $value (not (regexMatch (index $form 0) $value)) }}
{{ $key }} in Secret {{ $.Values.existingSecret }} must be {{ index $form 1 }}. {{ include "toolmark.patchSecret" (list $ $key) }}
{{- end }}
{{- end }}
{{- range $name, $key := $.Values.secretEnv }}
{{- if not (hasKey $data $key) }}
Secret {{ $.Values.existingSecret }} has no {{ $key }}, which secretEnv.{{ $name }} names. {{ include "toolmark.patchSecret" (list $ $key) }}
{{- end }}
{{- end }}
{{- end }}

{{- define "toolmark.patchSecret" -}}
{{- $ := index . 0 -}}
Set it: kubectl patch secret {{ $.Values.existingSecret }} --namespace {{ $.Release.Namespace }} --patch '{"stringData":{"{{ index . 1 }}":"..."}}'
{{- end }}

{{/* Kinds that a cluster has only with an operator. */}}
{{- define "toolmark.kindProblems" -}}
{{- $apis := .Capabilities.APIVersions }}
{{- with .Values }}
{{- if and (eq .autoscaling.kind "keda") (not ($apis.Has "keda.sh/v1alpha1")) }}
autoscaling.kind is keda, and this cluster has no KEDA: install it (2.17 or later), or set the kind to hpa or none.
{{- end }}
{{- if and .podMonitor.enabled (not ($apis.Has "monitoring.coreos.com/v1")) }}
podMonitor.enabled needs the Prometheus Operator, which this cluster does not have: install it, or set podMonitor.enabled to false.
{{- end }}
{{- if and .alerts.enabled (not ($apis.Has "monitoring.coreos.com/v1")) }}
alerts.enabled needs the Prometheus Operator, which this cluster does not have: install it, or set alerts.enabled to false.
{{- end }}
{{- if and .httpRoute.enabled (not ($apis.Has "gateway.networking.k8s.io/v1")) }}
httpRoute.enabled needs the Gateway API (gateway.networking.k8s.io/v1), which this cluster does not have: install it, or use ingress.enabled.
{{- end }}
{{- end }}
{{- end }}
