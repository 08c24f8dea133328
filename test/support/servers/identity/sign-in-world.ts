import { startAdmin } from '../../../../services/admin/app.ts';
import { freePort } from '../../../../tools/stack/index.ts';
import { type Api, openApi } from '../../admin-api/admin.ts';
import { collectLog } from '../../stack/processes/collected-log.ts';
import { createWorldWithoutTopics } from '../../uncounted-world.ts';
import type { World } from '../../world.ts';
import { type ClaimsOf, type IdentityProvider, startIdentityProvider } from './identity-provider.ts';
import { type Wanderer, createWanderer, signIn } from './wanderer.ts';

export type SignInWorld = World & {
  /** Where the console is, on 127.0.0.1; the provider is on another site. */
  readonly url: string;
  readonly api: Api;
  readonly provider: IdentityProvider;
  /** What the admin service has logged. */
  readonly logLines: () => readonly Readonly<Record<string, unknown>>[];
  /** A browser in which this account has signed in. */
  signedIn(account: string): Promise<Wanderer>;
};

/** A world in which people sign in by a provider. Its admin service runs in this process. */
export async function createSignInWorld(
  claimsOf: ClaimsOf,
  overrides: Record<string, string> = {},
): Promise<SignInWorld> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const provider = await startIdentityProvider(url, claimsOf);
  const world = await createWorldWithoutTopics({ ...provider.settingsFor(url), ...overrides });
  const { log, lines } = collectLog();
  await world.run((config) => startAdmin(config, log));
  return {
    ...world,
    url,
    provider,
    logLines: lines,
    api: await openApi(url),
    async signedIn(account) {
      const wanderer = createWanderer();
      await signIn(wanderer, url, account);
      return wanderer;
    },
    async dispose() {
      await world.dispose();
      await provider.close();
    },
  };
}

export const SESSION = 'flagmeter-session';
export const CSRF = 'flagmeter-csrf';
export const SIGN_IN = 'flagmeter-sign-in';

/** What the console sends with a change. */
export function headersOf(wanderer: Wanderer, url: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    origin: url,
    'x-csrf-token': wanderer.cookie(url, CSRF) ?? '',
  };
}
