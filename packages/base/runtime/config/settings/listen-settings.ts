import { limit, text } from './setting.ts';

/** The settings of the addresses that services listen on, and of their connections. */
export const listenSettings = {
  INGEST_PROCESSES: {
    type: 'integer',
    minimum: 1,
    maximum: 64,
    why: 'each takes up to 250 MiB of memory',
    description:
      'processes of ingest and admin in `flagmeter start`, which share the limits per process; by default half of the cores, at most 16',
  },
  MAX_CONNECTIONS: limit(10_000, { share: 'part', min: 10, max: 1_000_000 }, 'open connections per process'),
  MAX_CONNECTIONS_PER_ADDRESS: limit(
    2500,
    { share: 'part', min: 1, max: 1_000_000 },
    'open connections of one client address per process; raise it behind a proxy',
  ),
  HTTP_HOST: text('127.0.0.1', 'address to listen on'),
  LISTEN_TLS_CERT_FILE: text(
    '',
    'PEM file of the certificate of ingest and admin, with the authorities between it and the root; empty for HTTP without TLS',
  ),
  LISTEN_TLS_KEY_FILE: text('', 'PEM file of the key of that certificate, without a passphrase'),
  TRUST_PROXY: {
    type: 'string',
    default: '',
    format: 'addresses',
    description:
      'addresses and networks of the proxies in front, comma separated, such as 10.0.0.0/8; their X-Forwarded-For names the client',
  },
  OPS_PORT: {
    type: 'integer',
    minimum: 0,
    maximum: 65_535,
    description: 'port of the metrics, which PORT then no longer serves; it also serves health and readiness',
  },
  OPS_HOST: text('127.0.0.1', 'address to listen on for `OPS_PORT`'),
} as const;
