import { secretKeysOf } from '../config-formats.ts';
import type { Environment } from '../settings/config-schema.ts';
import { readCertificates } from '../tls.ts';

/** `keys` is undefined without SECRETS_KEY: then there are no subscriptions. */
export function notificationsOf(env: Environment) {
  const [newest, ...older] = secretKeysOf(env.SECRETS_KEY);
  const ca = { setting: 'NOTIFICATIONS_CA_FILE', path: env.NOTIFICATIONS_CA_FILE };
  return {
    keys: newest === undefined ? undefined : ([newest, ...older] as const),
    consoleUrl: env.CONSOLE_URL,
    perHour: env.NOTIFICATIONS_PER_HOUR,
    ca: ca.path === '' ? undefined : readCertificates(ca),
    mayLoopBack: env.NOTIFICATIONS_TO_LOOPBACK,
  };
}
