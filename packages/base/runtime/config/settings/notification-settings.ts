import { limit, text } from './setting.ts';

/** The settings of messages about verdicts and events (docs/use/notifications.md). */
export const notificationSettings = {
  SECRETS_KEY: {
    type: 'string',
    default: '',
    format: 'secret-keys',
    isSecret: true,
    description:
      'key that encrypts the addresses and secrets of notifications: 32 random bytes in base64 (openssl rand -base64 32); to replace it, put the new key and a comma in front',
  },
  CONSOLE_URL: {
    type: 'string',
    format: 'base-url',
    description: 'http(s) address of the console, to which messages link; without it they have no links',
  },
  NOTIFICATIONS_PER_HOUR: limit(
    30,
    { share: 'same', min: 1, max: 10_000 },
    'messages that a subscription gets in a clock hour before the others wait for one summary',
  ),
  NOTIFICATIONS_CA_FILE: text(
    '',
    'PEM file of the certificate authorities of the receivers; replaces the public ones',
  ),
  NOTIFICATIONS_TO_LOOPBACK: {
    type: 'boolean',
    default: false,
    description: 'true allows receivers on this machine itself, also without TLS; to try it',
  },
} as const;
