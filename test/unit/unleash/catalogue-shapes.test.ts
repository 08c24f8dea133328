import { expect } from 'chai';
import {
  type CatalogueReader,
  UnleashError,
  createCatalogueReader,
  createUnleash,
  uidOfEvent,
} from '#unleash/client';
import { type Upstream, answerJson, startUpstream } from '../../support/servers/upstream/upstream.ts';

describe('the reader of the catalogue of Unleash', () => {
  let upstream: Upstream;
  let reader: CatalogueReader;
  let answered: unknown;
  beforeEach(async () => {
    upstream = await startUpstream((_request, response) => {
      answerJson(response, answered);
    });
    const { signal } = new AbortController();
    reader = createCatalogueReader(createUnleash({ url: upstream.url }), 'secret', signal);
  });
  afterEach(() => upstream.close());

  it('accepts a feature with unknown members, and without optional ones', async () => {
    const strategy = { name: 'default', milestone: { unknown: true } };
    answered = {
      ...FEATURE,
      lifecycle: null,
      environments: [{ name: 'production', enabled: true, strategies: [strategy], yes: 'many' }],
    };
    expect(await reader.feature('default', 'basket')).to.deep.equal(answered);
  });

  const wrong: readonly [string, object, string][] = [
    ['a name that is a number', { name: 7 }, '/name must be string, is number'],
    ['no environments', { environments: null }, '/environments must be array, is null'],
    [
      'a strategy whose constraints are a text',
      {
        environments: [{ name: 'production', enabled: true, strategies: [{ name: 'a', constraints: 'x' }] }],
      },
      '/environments/0/strategies/0/constraints must be array, is string',
    ],
    ['a date that does not exist', { createdAt: '2026-02-30T00:00:00Z' }, '/createdAt must be an RFC 3339'],
    ['NUL in its name', { name: 'a\0b' }, '/name must not hold NUL'],
    ['half of an emoji in its name', { name: 'a\ud83e' }, '/name must not hold half of a surrogate pair'],
  ];
  for (const [what, members, message] of wrong) {
    it(`rejects a feature with ${what}, and names the place`, async () => {
      answered = { ...FEATURE, ...members };
      const error = await errorOf(reader.feature('default', 'basket'));
      expect(error.code).to.equal('unleash-answer');
      expect(error.message).to.include(message);
    });
  }

  it('escapes names in paths', async () => {
    answered = FEATURE;
    await reader.feature('a/b', 'c?d');
    expect(upstream.requests[0]?.path).to.equal(
      '/api/admin/projects/a%2Fb/features/c%3Fd?variantEnvironments=true',
    );
  });

  it('gives an event the same uid in each reading, and an event of another Unleash a different one', () => {
    const event = { id: 7, type: 'feature-created', createdAt: '2026-11-22T10:00:00.000Z' };
    expect(uidOfEvent(event)).to.match(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(uidOfEvent({ ...event })).to.equal(uidOfEvent(event));
    expect(uidOfEvent({ ...event, createdAt: '2026-11-22T10:00:00.001Z' })).not.to.equal(uidOfEvent(event));
  });
});

const FEATURE = {
  name: 'basket',
  project: 'default',
  type: 'release',
  createdAt: '2026-11-22T10:00:00.000Z',
  environments: [],
};

async function errorOf(work: Promise<unknown>): Promise<UnleashError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof UnleashError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}
