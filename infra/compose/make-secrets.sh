#!/bin/sh
# Writes the secrets of infra/compose.yaml, those of each service to a folder that is a volume of its own. The first start makes them up. Later starts keep them, unless a variable has another value.
set -eu
umask 077
folder=${SECRETS_FOLDER:-/secrets}

# The content of a file, or 40 random hexadecimal digits.
secret() { # NAME VALUE
  mkdir -p "$folder/made"
  chmod 700 "$folder/made"
  if [ -n "$2" ]; then
    printf %s "$2" >"$folder/made/$1"
  elif [ ! -s "$folder/made/$1" ]; then
    od -An -N20 -tx1 /dev/urandom | tr -d ' \n' >"$folder/made/$1.new"
    mv "$folder/made/$1.new" "$folder/made/$1"
  fi
  cat "$folder/made/$1"
}

give() { # SERVICE FILE TEXT
  mkdir -p "$folder/$1"
  chmod 700 "$folder/$1"
  printf '%s\n' "$3" >"$folder/$1/$2"
}

own() { # SERVICE UID
  if [ "$(id -u)" = 0 ]; then chown -R "$2" "$folder/$1"; fi
}

clickhouse=$(secret clickhouse "${CLICKHOUSE_PASSWORD:-}")
analyst=$(secret analyst "${ANALYST_PASSWORD:-}")
postgres=$(secret postgres "${POSTGRES_PASSWORD:-}")
owner=$(secret owner "${POSTGRES_OWNER_PASSWORD:-}")
redis=$(secret redis "${REDIS_PASSWORD:-}")
database_url="postgres://flagmeter_service:$postgres@postgres:5432/flagmeter"
redis_url="redis://default:$redis@redis:6379"

give application clickhouse "$clickhouse"
give application database-url "$database_url"
give application redis-url "$redis_url"
give migrate clickhouse "$clickhouse"
give migrate database-url "$database_url"
give migrate redis-url "$redis_url"
give migrate database-owner-url "postgres://flagmeter:$owner@postgres:5432/flagmeter"
give clickhouse password "$clickhouse"
give clickhouse analyst "$analyst"
give postgres password "$postgres"
give postgres owner "$owner"
give postgres superuser "$(secret superuser "${POSTGRES_ADMIN_PASSWORD:-}")"
give redis password "$redis"
give redis redis.conf "requirepass \"$redis\""
give grafana admin "$(secret grafana "${GRAFANA_PASSWORD:-}")"
give grafana analyst "$analyst"

# The users of the images, and of the container that migrates.
own application 1000
own migrate 1001
own postgres 999
own redis 999
own grafana 472
