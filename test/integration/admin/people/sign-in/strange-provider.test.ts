import { createHmac } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ProviderError, createProvider } from '../../../../../services/admin/people/sign-in/provider.ts';
import { itNightly, someByDay } from '../../../../support/nightly.ts';
import { CLIENT, type Claims, type Sign } from '../../../../support/servers/identity/identity-provider.ts';
import {
  type SignInWorld,
  SESSION,
  createSignInWorld,
} from '../../../../support/servers/identity/sign-in-world.ts';
import { type Page, type Wanderer, createWanderer } from '../../../../support/servers/identity/wanderer.ts';

const DISCOVERY = '/.well-known/openid-configuration';
const ENDPOINTS = [DISCOVERY, '/token', '/jwks', '/me'];
/** Must not be in the log. */
const MARK = 'secret-of-the-provider';
const MIB = 2 ** 20;
const BOMB = gzipSync(Buffer.alloc(256 * MIB, ' '));

const send =
  (body: string | Buffer, headers: Record<string, string> = {}, status = 200): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);

const ANSWERS: Readonly<Record<string, RequestListener>> = {
  'a failure': send('', {}, 500),
  'an error with a long text': send(JSON.stringify({ error: `${MARK}\u0000${'x'.repeat(5000)}` }), {}, 400),
  'no content': send('', {}, 204),
  'not modified': send('', {}, 304),
  'a redirect to another site': send('', { location: 'https://elsewhere.example/' }, 302),
  'a status beyond all': (_request, response) => response.writeHead(999).end('{}'),
  'a page': send('<h1>Welcome</h1>', { 'content-type': 'text/html' }),
  nothing: send(''),
  null: send('null'),
  'a list': send('[]'),
  'a text': send(`"${MARK}"`),
  'a number that is too large': send('1e400'),
  'an object without members': send('{}'),
  'members of all objects': send('{"__proto__":{"issuer":"x"},"constructor":null,"toString":1}'),
  'a deep list': send('['.repeat(400_000)),
  'an object that is too long': send(JSON.stringify({ issuer: 'x'.repeat(2 * MIB) })),
  'bytes that are no text': send(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
  'a bomb': send(BOMB, { 'content-encoding': 'gzip' }),
  'a bomb in a bomb': send(gzipSync(BOMB), { 'content-encoding': 'gzip, gzip' }),
  'gzip that is none': send('{}', { 'content-encoding': 'gzip' }),
  'half of an answer': (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' }).write('{"a":');
    setImmediate(() => request.socket.destroy());
  },
  'a closed connection': (request) => request.socket.destroy(),
};

const SLOW: Readonly<Record<string, RequestListener>> = {
  silence: () => undefined,
  'an answer without an end': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => {
      clearInterval(timer);
    });
  },
};

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Whom each of these would sign in does not matter: nobody. */
const TOKENS: Readonly<Record<string, (claims: Claims, sign: Sign) => string>> = {
  'no signature': (claims) => `${part({ alg: 'none' })}.${part(claims)}.`,
  'the secret of the client as key': (claims) => {
    const signed = `${part({ alg: 'HS256' })}.${part(claims)}`;
    return `${signed}.${createHmac('sha256', CLIENT.secret).update(signed).digest('base64url')}`;
  },
  'the address of another key': (claims, sign) => {
    const [header = '', payload = ''] = sign(claims, { jku: 'http://127.0.0.1:1/keys', kid: 'x' }).split('.');
    return `${header}.${payload}.${part('signature')}`;
  },
  'an extension that must be understood': (claims, sign) => sign(claims, { crit: ['exp'], exp: 1 }),
  'another nonce': (claims, sign) => sign({ ...claims, nonce: 'other' }),
  'no nonce': (claims, sign) => sign({ ...claims, nonce: undefined }),
  'a list as nonce': (claims, sign) => sign({ ...claims, nonce: [claims['nonce']] }),
  'another audience': (claims, sign) => sign({ ...claims, aud: 'other' }),
  'several audiences, made for another': (claims, sign) =>
    sign({ ...claims, aud: [CLIENT.id, 'other'], azp: 'other' }),
  'one audience, made for another': (claims, sign) => sign({ ...claims, azp: 'other' }),
  'another issuer': (claims, sign) => sign({ ...claims, iss: 'https://elsewhere.example' }),
  'an issuer with a slash more': (claims, sign) => sign({ ...claims, iss: `${String(claims['iss'])}/` }),
  'an end in the past': (claims, sign) => sign({ ...claims, exp: 1 }),
  'a text as end': (claims, sign) => sign({ ...claims, exp: '9999999999' }),
  'a beginning in the future': (claims, sign) => sign({ ...claims, nbf: 9_999_999_999 }),
  'a text as time of issue': (claims, sign) => sign({ ...claims, iat: 'now' }),
  'a last audience that is another': (claims, sign) =>
    sign(JSON.stringify(claims).replace(/\}$/, ',"aud":"other"}')),
  'claims that are a list': (_claims, sign) => sign('[]'),
  'claims that are no JSON': (_claims, sign) => sign('{'),
  'four parts': (claims, sign) => `${sign(claims)}.x`,
  'no parts': () => MARK,
};

/** A world of its own, because the log has a hundred warnings of strangers a minute. */
function strangeWorld() {
  let world: SignInWorld;
  let accounts = 0;
  let from = 0;
  before(async () => {
    const claimsOf = (account: string): Claims => ({
      email: `${account}@example.org`,
      email_verified: true,
      groups: ['viewers'],
    });
    world = await createSignInWorld(claimsOf, { TRUST_PROXY: '127.0.0.1' });
  });
  beforeEach(() => {
    from = world.logLines().length;
  });
  afterEach(() => {
    for (const path of ENDPOINTS) world.provider.answerAt(path, undefined);
    world.provider.forge(undefined);
  });

  /** Comes back from the form of the provider after `change`. */
  async function comeBack(change: () => void): Promise<Page & { readonly wanderer: Wanderer }> {
    accounts += 1;
    const wanderer = createWanderer({ 'x-forwarded-for': `192.0.2.${accounts % 250}` });
    const form = await wanderer.visit(`${world.url}/sign-in`);
    expect(form.url).to.include('/interaction/');
    change();
    return { ...(await wanderer.visit(`${form.url}?account=person-${accounts}`)), wanderer };
  }

  return {
    world: () => world,
    /** Comes back from the form of the provider after `change`, and is refused. */
    expectRefusal: async (title: string, change: (provider: SignInWorld['provider']) => void) => {
      const { status, text, wanderer } = await comeBack(() => {
        change(world.provider);
      });
      expect(status, `${title}: ${text}`).to.be.oneOf([400, 403, 503]);
      expect(wanderer.cookie(world.url, SESSION), title).to.equal(undefined);
    },
    /** The log of this test names each failure, and has no text of the provider. */
    expectFailures: (count: number) => {
      const lines = world.logLines().slice(from);
      expect(lines.filter(({ msg }) => msg === 'sign-in failed')).to.have.lengthOf(count);
      expect(lines.filter((line) => JSON.stringify(line).includes(MARK))).to.deep.equal([]);
    },
  };
}

describe('a strange identity provider', () => {
  const { world, expectRefusal, expectFailures } = strangeWorld();

  const answers = someByDay(Object.entries(ANSWERS), 1 / 3);
  for (const path of ENDPOINTS) {
    it(`signs nobody in, ends nothing and costs little memory, whatever it answers at ${path}`, async () => {
      for (const [title, answer] of answers) {
        const before = process.memoryUsage().rss;
        await expectRefusal(title, (provider) => {
          provider.answerAt(path, answer);
        });
        world().provider.answerAt(path, undefined);
        expect((process.memoryUsage().rss - before) / MIB, title).to.be.below(128);
      }
      expectFailures(answers.length);
    });

    itNightly(`keeps nobody waiting for ever at ${path}`, async () => {
      for (const [title, answer] of Object.entries(SLOW)) {
        await expectRefusal(title, (provider) => {
          provider.answerAt(path, answer);
        });
        world().provider.answerAt(path, undefined);
      }
    });
  }
});

describe('strange tokens of an identity provider', () => {
  const { world, expectRefusal, expectFailures } = strangeWorld();

  for (const [title, forge] of someByDay(Object.entries(TOKENS), 1 / 3))
    it(`sign nobody in: an ID token with ${title}`, async () => {
      await expectRefusal(title, (provider) => {
        provider.forge(forge);
      });
      expectFailures(1);
    });

  it('are in no log: an access token, whatever characters it has', async () => {
    const tokens = [`${MARK}\nx`, `${MARK}\u0000`, `${MARK}\u{1F642}`, MARK.repeat(10_000)];
    for (const token of tokens)
      await expectRefusal(token.slice(0, 30), (provider) => {
        provider.giveAccessToken(token);
      });
    world().provider.giveAccessToken(undefined);
    expectFailures(tokens.length);
  });

  it('send nobody to an address that runs something: places of the sign-in and the sign-out', async () => {
    const document = (await (await fetch(`${world().provider.issuer}${DISCOVERY}`)).json()) as Claims;
    const members = Object.keys(document).filter((name) => name.endsWith('_endpoint') || name === 'jwks_uri');
    expect(members).to.include.members(['authorization_endpoint', 'end_session_endpoint', 'token_endpoint']);
    const { issuer } = world().provider;
    const options = { issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, consoleUrl: world().url };
    const claims = { groupsClaim: 'groups', areAddressesVerified: false, isWithoutGroups: false };
    for (const member of members)
      for (const address of [
        'javascript:alert(1)',
        'file:///etc/passwd',
        'data:text/html,x',
        '//x',
        1,
        null,
      ]) {
        const title = `${member} ${address}`;
        world().provider.answerAt(DISCOVERY, send(JSON.stringify({ ...document, [member]: address })));
        const provider = createProvider({ ...options, scopes: 'openid', claims });
        const places = [
          await provider.beginAt('secret').catch(failureOf),
          await provider.endSessionAt(undefined),
        ];
        for (const place of places)
          expect(place instanceof URL ? place.protocol : (place ?? 'none'), title).to.be.oneOf(HARMLESS);
      }
  });
});

const HARMLESS = ['http:', 'https:', 'none', 'away', 'invalid'];

function failureOf(error: unknown): string {
  return error instanceof ProviderError ? error.failure : String(error);
}
