#!/bin/sh
# Runs the process that the first argument of the image names. Secrets that are not in the environment come from files
# in TOOLMARK_SECRETS_DIR, if that is set; `migrate` creates them.
set -eu
command=${1:-}
[ $# -eq 0 ] || shift
secrets=${TOOLMARK_SECRETS_DIR:-}

[ -z "$secrets" ] || [ "$command" != migrate ] || node scripts/container-secrets.mjs "$secrets"
from_file() { # variable, file: exports the file's text unless the variable has one
  eval "value=\${$1:-}"
  [ -n "$value" ] || [ -z "$secrets" ] || [ ! -r "$secrets/$2" ] || value=$(cat "$secrets/$2")
  [ -z "$value" ] || export "$1=$value"
}

sealing_keys() { # The file holds one key, or several, separated by commas.
  [ -n "${TOOLMARK_SEALING_KEYS:-}" ] || from_file TOOLMARK_SEALING_KEY sealing-key
  case ${TOOLMARK_SEALING_KEY:-} in *,*)
    export TOOLMARK_SEALING_KEYS="$TOOLMARK_SEALING_KEY"
    unset TOOLMARK_SEALING_KEY ;;
  esac
}

cd /app
case $command in
  api)
    sealing_keys
    from_file TOOLMARK_ADMIN_TOKEN admin-token
    exec node dist/apps/api/main.js ;;
  worker) sealing_keys; exec node dist/apps/worker/main.js ;;
  simulator) exec node dist/apps/simulator/main.js ;;
  migrate) exec node dist/libs/db/connection/migrate-main.js ;;
  demo) from_file TOOLMARK_ADMIN_TOKEN admin-token; exec node scripts/container-demo.mjs ;;
  toolmark) from_file TOOLMARK_ADMIN_TOKEN admin-token; exec node dist/apps/cli/main.js "$@" ;;
  *)
    echo "There is no process \"$command\". Name one: api, worker, simulator, migrate, demo, toolmark [arguments]." >&2
    exit 64 ;;
esac
