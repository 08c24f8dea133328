import { expect } from 'chai';
import { type Unleash, UnleashError, createUnleash, validateTokens } from '#unleash/client';
import { type Upstream, answerJson, startUpstream } from '../../support/servers/upstream/upstream.ts';

const SECRET = 'default:production.secret';
const LISTED = { token: SECRET, type: 'client', projects: ['default'], environment: 'production' };

const MISUNDERSTOOD: readonly { title: string; answer: unknown }[] = [
  { title: 'no list', answer: {} },
  { title: 'null', answer: null },
  { title: 'a list without an object', answer: [LISTED] },
  { title: 'a secret alone', answer: { tokens: [SECRET] } },
  { title: 'a token of a type that we do not know', answer: { tokens: [{ ...LISTED, type: 'robot' }] } },
  { title: 'a token without projects', answer: { tokens: [{ ...LISTED, projects: undefined }] } },
  { title: 'a token with a number as project', answer: { tokens: [{ ...LISTED, projects: [1] }] } },
  { title: 'a token without an environment', answer: { tokens: [{ ...LISTED, environment: null }] } },
];

describe('validateTokens', () => {
  let upstream: Upstream;
  let unleash: Unleash;
  beforeEach(async () => {
    upstream = await startUpstream((_request, response) => {
      answerJson(response, { tokens: [LISTED] });
    });
    unleash = createUnleash({ url: upstream.url });
  });
  afterEach(() => upstream.close());

  it('returns the tokens that Unleash lists, and leaves out the others', async () => {
    expect(await validateTokens(unleash, [SECRET, 'unknown'])).to.deep.equal(
      new Map([[SECRET, { type: 'client', environment: 'production', projects: ['default'] }]]),
    );
    expect(upstream.requests[0]).to.include({ method: 'POST', path: '/edge/validate' });
    expect(upstream.requests[0]?.headers).not.to.have.property('authorization');
  });

  it('maps a backend token to a client token, and * to every project', async () => {
    upstream.respond = (_request, response) => {
      answerJson(response, { tokens: [{ ...LISTED, type: 'backend', projects: ['*'] }] });
    };
    expect((await validateTokens(unleash, [SECRET])).get(SECRET)).to.include({ type: 'client' });
    expect((await validateTokens(unleash, [SECRET])).get(SECRET)?.projects).to.deep.equal([]);
  });

  it('sends bodies that Unleash accepts', async () => {
    const secrets = Array.from(
      { length: 3000 },
      (_item, index) => `*:production.${String(index).padStart(60)}`,
    );
    await validateTokens(unleash, secrets);
    const bodies = upstream.requests.map(({ body }) => body);
    expect(Math.max(...bodies.map((body) => Buffer.byteLength(body)))).to.be.at.most(102_400);
    const asked = bodies.flatMap((body) => (JSON.parse(body) as { tokens: string[] }).tokens);
    expect(asked).to.deep.equal(secrets);
  });

  it('sends no request for no tokens', async () => {
    expect(await validateTokens(unleash, [])).to.deep.equal(new Map());
    expect(upstream.requests).to.deep.equal([]);
  });

  for (const { title, answer } of MISUNDERSTOOD) {
    it(`rejects ${title}`, async () => {
      upstream.respond = (_request, response) => {
        answerJson(response, answer);
      };
      expect(await codeOf(validateTokens(unleash, [SECRET]))).to.equal('unleash-answer');
    });
  }

  it('rejects an answer that is not JSON', async () => {
    upstream.respond = (_request, response) => {
      response.end('<html>');
    };
    expect(await codeOf(validateTokens(unleash, [SECRET]))).to.equal('unleash-answer');
  });

  for (const status of [201, 302, 401, 403, 404, 429, 500, 503]) {
    it(`rejects an answer with the status ${status}`, async () => {
      upstream.respond = (_request, response) => {
        answerJson(response, { tokens: [] }, status);
      };
      expect(await codeOf(validateTokens(unleash, [SECRET]))).to.equal('unleash-status');
    });
  }
});

async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof UnleashError) return error.code;
    throw error;
  }
  return 'answered';
}
