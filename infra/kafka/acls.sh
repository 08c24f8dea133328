#!/bin/sh
# Allows the services of flagmeter what they need in a Kafka with an authorizer, and nothing else. kafka-acls.sh, a program of Kafka, must be
# on PATH. Run this as an administrator of Kafka, whose login is in the file COMMAND_CONFIG:
#
#   KAFKA_BROKERS=kafka.internal:9092 COMMAND_CONFIG=admin.properties sh acls.sh
#
# Each service has a Kafka user of its name. With KAFKA_USER one user gets all rights, as `flagmeter start` needs them.
set -eu
prefix=${KAFKA_TOPIC_PREFIX:-flagmeter}

allow() {
  user=${KAFKA_USER:-$1}
  shift
  kafka-acls.sh --bootstrap-server "$KAFKA_BROKERS" ${COMMAND_CONFIG:+--command-config "$COMMAND_CONFIG"} \
    --add --allow-principal "User:$user" "$@"
}

allow ingest --operation write --topic "$prefix.counts" --topic "$prefix.applications" --topic "$prefix.relay-reports"

allow worker --operation read --topic "$prefix.counts" --topic "$prefix.applications" --topic "$prefix.relay-reports" \
  --group "$prefix-counts" --group "$prefix-applications" --group "$prefix-relay-reports"
allow worker --operation write --topic "$prefix.dead-letters"

# Also for `flagmeter reconcile` and `flagmeter top`.
allow admin --operation describe --topic "$prefix.counts" --group "$prefix-counts"

# Only needed with UNLEASH_MIRROR_TOKENS.
allow unleash --operation read --topic "$prefix.counts" --topic "$prefix.applications" \
  --group "$prefix-mirror" --group "$prefix-mirror-applications"

# For `flagmeter migrate`: all topics that begin with the prefix.
allow migrate --operation create --operation alter --operation alterConfigs \
  --resource-pattern-type prefixed --topic "$prefix."
# To create a lost topic again, only while no one consumes it.
allow migrate --operation describe --resource-pattern-type prefixed --group "$prefix"
