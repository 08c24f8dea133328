#!/usr/bin/env bash
# Stops the servers of the compose cluster one after the other under load. Afterwards each replica must have counted everything once.
# COMPOSE_FILE names both compose files, and INIT_CLIENT_API_TOKENS holds one client token. Needs docker compose and jq.
set -euo pipefail

readonly SERVERS=(clickhouse clickhouse-b2 kafka-2 keeper clickhouse-a2 kafka clickhouse-b1)
readonly A=(http://clickhouse:8123 http://clickhouse-a2:8123)
readonly B=(http://clickhouse-b1:8123 http://clickhouse-b2:8123)

# Runs a command of flagmeter that reads this CLICKHOUSE_URL.
flagmeter_on() {
  docker compose exec -T --env CLICKHOUSE_URL="$1" admin node dist/services/cli/main.js "${@:2}"
}

# Waits until a command succeeds, for five minutes at most.
until_ok() {
  for _ in {1..60}; do
    if "$@"; then return; fi
    sleep 5
  done
  echo "still failing: $*" >&2
  return 1
}

nothing_in_flight() {
  [ "$(flagmeter_on "$1" reconcile --json 2>/dev/null | jq .total.inFlight)" = 0 ]
}

main() {
  local url="${A[0]},${A[1]};${B[0]},${B[1]}"
  local other="${A[1]},${A[0]};${B[1]},${B[0]}"
  local results
  results="$(mktemp)"
  # The exit code is 1 if a request got no 202, as is right while brokers are unreachable.
  docker compose exec -T --env FLAGMETER_TOKEN="$INIT_CLIENT_API_TOKENS" admin node dist/services/cli/main.js \
    load --url http://ingest:4242 --rate 20 --rows 100 --seconds 240 --json >"$results" &
  local load=$!
  for server in "${SERVERS[@]}"; do
    echo "killing $server"
    docker compose kill "$server"
    sleep 10
    docker compose up --detach --no-deps --wait "$server"
  done
  wait "$load" || true
  jq '{requests, acknowledged, inDoubt}' "$results"
  until_ok nothing_in_flight "$url"
  local acknowledged in_doubt received
  acknowledged="$(jq .acknowledged.rows "$results")"
  in_doubt="$(jq .inDoubt.rows "$results")"
  for order in "$url" "$other"; do
    # A replica that was unreachable may still fetch blocks.
    until_ok flagmeter_on "$order" reconcile
    received="$(flagmeter_on "$order" reconcile --json | jq '.total.received - .total.duplicate')"
    echo "$acknowledged metrics acknowledged, $in_doubt without an answer, $received stored"
    [ "$acknowledged" -gt 0 ]
    [ "$received" -ge "$acknowledged" ]
    [ "$received" -le $((acknowledged + in_doubt)) ]
  done
  flagmeter_on "$url" doctor
}

main
