import { randomUUID } from 'node:crypto';
import { freePort, prepareKeycloak, startKeycloak } from '../../../../tools/stack/index.ts';
import { type OwnEngine, own } from '../../stack/engines/own-engines.ts';
import type { Page, Wanderer } from './wanderer.ts';

export type Keycloak = OwnEngine & {
  /** Settings of flagmeter. */
  readonly settings: Readonly<Record<string, string>>;
  /** Puts a person into these groups and no others. */
  setGroups(person: string, groups: readonly string[]): Promise<void>;
  /** Signs with a new key, and no longer publishes the old one. */
  rotateKeys(): Promise<void>;
};

const REALM = 'company';
const CLIENT = { id: 'flagmeter', secret: randomUUID() };
const KEYS = 'org.keycloak.keys.KeyProvider';

/** A real Keycloak with a realm of these people, whose passwords are their names. The first run installs it. */
export async function ownKeycloak(consoleUrl: string, people: readonly string[]): Promise<Keycloak> {
  await prepareKeycloak();
  const port = await freePort();
  const password = randomUUID();
  const engine = await own((directory) => startKeycloak({ directory, port, password }));
  const administer = administrator(engine.address, password);
  await administer('POST', '', realmOf(consoleUrl, people));
  const list = async (path: string) => (await administer('GET', `/${REALM}${path}`)) as readonly Thing[];
  return {
    ...engine,
    settings: {
      AUTH_TYPE: 'oidc',
      CONSOLE_URL: consoleUrl,
      PORT: new URL(consoleUrl).port,
      OIDC_ISSUER: `${engine.address}/realms/${REALM}`,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_ADMIN_GROUPS: 'admins',
      OIDC_EDITOR_GROUPS: 'editors',
    },
    async setGroups(person, groups) {
      const [user] = await list(`/users?exact=true&username=${person}`);
      for (const { id, name = '' } of await list('/groups'))
        await administer(
          groups.includes(name) ? 'PUT' : 'DELETE',
          `/${REALM}/users/${user?.id}/groups/${id}`,
        );
    },
    async rotateKeys() {
      const old = (await list(`/components?type=${KEYS}`)).filter(
        ({ providerId }) => providerId === 'rsa-generated',
      );
      const key = {
        name: randomUUID(),
        providerId: 'rsa-generated',
        providerType: KEYS,
        config: { priority: ['200'] },
      };
      await administer('POST', `/${REALM}/components`, key);
      for (const { id } of old) await administer('DELETE', `/${REALM}/components/${id}`);
    },
  };
}

/** A user, a group, or a key. */
type Thing = { readonly id: string; readonly name?: string; readonly providerId?: string };

/** Calls of the admin API of Keycloak, below `/admin/realms`. Its tokens are valid for a minute, so each call takes a new one. */
function administrator(address: string, password: string) {
  return async (method: string, path: string, body?: object): Promise<unknown> => {
    const login = { grant_type: 'password', client_id: 'admin-cli', username: 'admin', password };
    const token = await fetch(`${address}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams(login),
    });
    const { access_token: bearer } = (await token.json()) as { access_token: string };
    const answer = await fetch(`${address}/admin/realms${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Keycloak answers ${answer.status} to ${method} ${path}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

/** With the mapper of groups that docs/operate/people/sign-in.md describes. */
function realmOf(consoleUrl: string, people: readonly string[]): object {
  const claims = { 'id.token.claim': 'true', 'access.token.claim': 'true', 'userinfo.token.claim': 'true' };
  return {
    realm: REALM,
    enabled: true,
    groups: [{ name: 'admins' }, { name: 'editors' }, { name: 'others' }],
    users: people.map((username) => ({
      username,
      enabled: true,
      email: `${username}@example.org`,
      emailVerified: true,
      firstName: username,
      lastName: 'Example',
      credentials: [{ type: 'password', value: username }],
    })),
    clients: [
      {
        clientId: CLIENT.id,
        secret: CLIENT.secret,
        protocol: 'openid-connect',
        publicClient: false,
        redirectUris: [`${consoleUrl}/sign-in/callback`],
        attributes: {
          'pkce.code.challenge.method': 'S256',
          'post.logout.redirect.uris': `${consoleUrl}/`,
        },
        protocolMappers: [
          {
            name: 'groups',
            protocol: 'openid-connect',
            protocolMapper: 'oidc-group-membership-mapper',
            config: { ...claims, 'claim.name': 'groups', 'full.path': 'false' },
          },
        ],
      },
    ],
  };
}

/** Signs in by the form of Keycloak, from the sign-in of flagmeter to the page after it. */
export async function signInAtKeycloak(
  wanderer: Wanderer,
  consoleUrl: string,
  person: string,
): Promise<Page> {
  const { url, text } = await wanderer.visit(`${consoleUrl}/sign-in`);
  const action = /<form id="kc-form-login"[^>]* action="([^"]+)"/.exec(text)?.[1];
  if (action === undefined) throw new Error(`there is no form of Keycloak at ${url}`);
  return wanderer.visit(action.replaceAll('&amp;', '&'), {
    method: 'POST',
    body: new URLSearchParams({ username: person, password: person }),
  });
}
