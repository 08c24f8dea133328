import { text } from './settings.ts';

/** The settings of the address that services listen on. */
export const listenSettings = {
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
} as const;
