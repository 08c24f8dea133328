import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type RequestListener, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inBackground } from '#base/runtime';
import Provider, { type Configuration, type JWK } from 'oidc-provider';

export type Claims = Readonly<Record<string, unknown>>;

/** What the provider says of an account, by its name. Every account exists. */
export type ClaimsOf = (account: string) => Claims;

/** A real OpenID Provider (oidc-provider) at `http://localhost`. It asks for the name of an account, and for no password. */
export type IdentityProvider = {
  readonly issuer: string;
  /** Settings of flagmeter, whose console is there. */
  settingsFor(consoleUrl: string): Record<string, string>;
  /** Changes the ID tokens that it signs from now on. */
  lie(change: (claims: Claims) => Claims): void;
  /** Changes what its UserInfo endpoint says from now on. */
  lieInUserInfo(change: (claims: Claims) => Claims): void;
  /** Sends these ID tokens from now on, instead of the ones that it signs. */
  forge(token: ((claims: Claims, sign: Sign) => string) | undefined): void;
  /** Sends this access token from now on. */
  giveAccessToken(token: string | undefined): void;
  /** Answers requests for a path in another way from now on; undefined for its own way. */
  answerAt(path: string, answer: RequestListener | undefined): void;
  /** Signs with a new key, and no longer publishes the old one. */
  rotateKeys(): void;
  /** Ends all connections and answers no others, until it comes back at the same address. */
  leave(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
};

/** Signs a header and claims, also if these are the text of a document, with the published key. */
export type Sign = (claims: Claims | string, header?: Claims) => string;

export const CLIENT = { id: 'flagmeter', secret: 'a-secret-of-the-client-0123456789' };

export async function startIdentityProvider(
  consoleUrl: string,
  claimsOf: ClaimsOf,
): Promise<IdentityProvider> {
  const lies: Lies = { token: same, userInfo: same, forge: undefined, accessToken: undefined };
  const others = new Map<string, RequestListener>();
  let handle: RequestListener = (_request, response) => response.writeHead(503).end();
  const answer: RequestListener = (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    (others.get(pathname) ?? handle)(request, response);
  };
  let server = await listen(0, answer);
  const { port } = server.address() as AddressInfo; // it listens on a port
  const issuer = `http://localhost:${port}`;
  const rotateKeys = (): void => {
    handle = createHandler({ issuer, consoleUrl, claimsOf, lies });
  };
  const leave = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    if (server.listening) await once(server, 'close');
  };
  rotateKeys();
  return {
    issuer,
    settingsFor: (url) => ({
      AUTH_TYPE: 'oidc',
      CONSOLE_URL: url,
      PORT: new URL(url).port,
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_ADMIN_GROUPS: 'admins',
      OIDC_EDITOR_GROUPS: 'editors,writers',
      OIDC_VIEWER_GROUPS: 'viewers',
    }),
    lie(change) {
      lies.token = change;
    },
    lieInUserInfo(change) {
      lies.userInfo = change;
    },
    forge(token) {
      lies.forge = token;
    },
    giveAccessToken(token) {
      lies.accessToken = token;
    },
    answerAt(path, other) {
      if (other === undefined) others.delete(path);
      else others.set(path, other);
    },
    rotateKeys,
    leave,
    async comeBack() {
      server = await listen(port, answer);
    },
    close: leave,
  };
}

function same(claims: Claims): Claims {
  return claims;
}

async function listen(port: number, handle: RequestListener): Promise<Server> {
  const server = createServer(handle);
  server.listen(port, 'localhost');
  await once(server, 'listening');
  return server;
}

type Parts = {
  readonly issuer: string;
  readonly consoleUrl: string;
  readonly claimsOf: ClaimsOf;
  /** As they are at the time of each answer. */
  readonly lies: Readonly<Lies>;
};

type Lies = {
  token: (claims: Claims) => Claims;
  userInfo: (claims: Claims) => Claims;
  forge: ((claims: Claims, sign: Sign) => string) | undefined;
  accessToken: string | undefined;
};

function createHandler({ issuer, consoleUrl, claimsOf, lies }: Parts): RequestListener {
  const key = createKey();
  const provider = new Provider(issuer, configurationOf({ consoleUrl, claimsOf, jwk: key.jwk }));
  provider.use(async (ctx, next) => {
    if (ctx.path.startsWith('/interaction/')) {
      await interact(provider, ctx);
      return;
    }
    await next();
    const body: unknown = ctx.body;
    if (ctx.path === '/token' && isSigned(body)) {
      const forge = lies.forge ?? ((claims: Claims) => key.sign(claims));
      const given = lies.accessToken === undefined ? {} : { access_token: lies.accessToken };
      ctx.body = { ...body, ...given, id_token: forge(lies.token(claimsIn(body.id_token)), key.sign) };
    }
    if (ctx.path === '/me' && isObject(body)) ctx.body = lies.userInfo(body);
  });
  const answer = provider.callback();
  return (request, response) => {
    inBackground(answer(request, response));
  };
}

type Settings = Pick<Parts, 'consoleUrl' | 'claimsOf'> & { readonly jwk: JWK };

function configurationOf({ consoleUrl, claimsOf, jwk }: Settings): Configuration {
  return {
    jwks: { keys: [jwk] },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${consoleUrl}/sign-in/callback`],
        post_logout_redirect_uris: [`${consoleUrl}/`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    pkce: { required: () => true },
    cookies: { keys: ['a-key-of-cookies'] },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        // Like Keycloak, it does not ask whoever sends the ID token.
        logoutSource(ctx, form) {
          const isKnown = ctx.oidc.params?.['id_token_hint'] !== undefined;
          ctx.body = `${HEAD}${form}${isKnown ? SUBMITTED : ASKED}`;
        },
      },
    },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...claimsOf(sub) }) }),
    // Nobody is asked for consent.
    async loadExistingGrant(ctx) {
      const { client, session, provider } = ctx.oidc;
      if (client === undefined || session === undefined) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId ?? '' });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  };
}

const HEAD = '<!doctype html><title>Provider</title><link rel="icon" href="data:,">';

const ASKED = '<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>';
const SUBMITTED = `<input type="hidden" form="op.logoutForm" name="logout" value="yes">
<script>document.getElementById("op.logoutForm").submit()</script>`;

type Context = Parameters<Parameters<Provider['use']>[0]>[0];

async function interact(provider: Provider, { req, res, method, query }: Context): Promise<void> {
  const account = new URLSearchParams(query as Record<string, string>).get('account');
  if (method === 'GET' && account === null) {
    res.writeHead(200, { 'content-type': 'text/html' });
    res.end(`${HEAD}<form><label>Account <input name="account"></label><button>Continue</button></form>`);
    return;
  }
  const result =
    account === '' ? { error: 'access_denied' } : { login: { accountId: account ?? '', remember: false } };
  await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
}

function createKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = randomUUID();
  const sign = (claims: Claims | string, header: Claims = {}): string => {
    const signed = [{ alg: 'RS256', kid, ...header }, claims]
      .map((part) => (typeof part === 'string' ? part : JSON.stringify(part)))
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
  };
  const exported = privateKey.export({ format: 'jwk' }) as JWK; // two types of one format
  return { jwk: { ...exported, kid, use: 'sig', alg: 'RS256' }, sign };
}

function isSigned(body: unknown): body is { readonly id_token: string } {
  return isObject(body) && typeof body['id_token'] === 'string';
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null;
}

function claimsIn(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Claims;
}
