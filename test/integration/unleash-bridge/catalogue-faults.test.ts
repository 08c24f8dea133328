import { expect } from 'chai';
import { UnleashError } from '#unleash/client';
import { type CatalogueWorld, createCatalogueWorld } from '../../support/servers/upstream/catalogue-world.ts';
import { type Upstream, answerJson } from '../../support/servers/upstream/upstream.ts';

describe('the catalogue sync while Unleash fails', () => {
  let of: CatalogueWorld;
  beforeEach(async () => {
    of = await createCatalogueWorld();
  });
  afterEach(() => of.dispose());

  it('marks a feature as vanished only if Unleash says so, not after a 404 of a proxy', async () => {
    of.catalogue.create('basket');
    await of.sync();
    of.catalogue.change('basket', 'feature-updated', { description: 'changed' });
    of.upstream.respond = (request, response) => {
      if (request.path.includes('/features/')) response.writeHead(404).end('<html>no such page</html>');
      else of.catalogue.respond(request, response);
    };
    expect((await troubleOf(of.sync())).status).to.equal(404);
    of.upstream.respond = of.catalogue.respond;
    expect(await of.sync()).to.equal('changed');
    expect(await of.rowsOf('features', 'description, vanished_at')).to.deep.equal([
      { description: 'changed', vanished_at: null },
    ]);
  });

  it('finds an event that was committed after a later one', async () => {
    of.catalogue.create('late');
    of.catalogue.create('basket');
    await of.sync();
    of.catalogue.change('late', 'feature-updated', { description: 'late' });
    await of.world.db.query('update unleash_sync set event_id = 4, event_count = 3');
    await of.sync();
    expect(await of.rowsOf('features', 'name, description')).to.deep.include({
      name: 'late',
      description: 'late',
    });
  });

  it('lists everything again after Unleash was restored to an earlier time', async () => {
    of.catalogue.create('kept');
    of.catalogue.create('lost');
    await of.sync();
    await of.world.db.query('update unleash_sync set event_id = 1000, event_count = 1000');
    of.catalogue.features.delete('lost');
    expect(await of.sync()).to.equal('changed');
    expect(await of.rowsOf('features', 'name, vanished_at is not null as vanished')).to.deep.equal([
      { name: 'kept', vanished: false },
      { name: 'lost', vanished: true },
    ]);
  });

  const faults: readonly [string, Upstream['respond'], Partial<UnleashError>][] = [
    [
      '500',
      (_, response) => {
        answerJson(response, {}, 500);
      },
      { code: 'unleash-status', status: 500 },
    ],
    [
      '429 with the time to wait',
      (_, response) => response.writeHead(429, { 'retry-after': '7' }).end('Too many requests'),
      { code: 'unleash-status', status: 429, retryAfterMs: 7000 },
    ],
    ['garbage', (_, response) => response.end('<html>'), { code: 'unleash-answer' }],
    [
      'another shape',
      (_, response) => {
        answerJson(response, { events: [{ id: 'one' }] });
      },
      { code: 'unleash-answer' },
    ],
    [
      'no events any more',
      (_, response) => {
        answerJson(response, { events: [], total: 0 });
      },
      { code: 'unleash-answer' },
    ],
  ];
  for (const [what, respond, expected] of faults) {
    it(`changes nothing while Unleash answers ${what}, and continues afterwards`, async () => {
      of.catalogue.create('basket');
      await of.sync();
      of.catalogue.change('basket', 'feature-updated', { description: 'changed' });
      of.upstream.respond = respond;
      expect(await troubleOf(of.sync())).to.include(expected);
      expect(await of.rowsOf('features', 'description')).to.deep.equal([{ description: 'of the upstream' }]);
      of.upstream.respond = of.catalogue.respond;
      expect(await of.sync()).to.equal('changed');
      expect(await of.rowsOf('features', 'description')).to.deep.equal([{ description: 'changed' }]);
    });
  }

  it('continues at the point where a round ended early', async () => {
    for (let i = 0; i < 100; i += 1) of.catalogue.create(`feature-${i}`);
    let answered = 0;
    of.upstream.respond = (request, response) => {
      answered += request.path.includes('/features/') ? 1 : 0;
      if (answered > 60) answerJson(response, {}, 500);
      else of.catalogue.respond(request, response);
    };
    await troubleOf(of.sync());
    of.upstream.respond = of.catalogue.respond;
    of.upstream.requests.length = 0;
    expect(await of.sync()).to.equal('changed');
    // Requests of the failed round may still arrive.
    const read = of.upstream.requests.map(({ path }) => path).filter((path) => path.includes('/features/'));
    expect(new Set(read).size).to.equal(60);
    expect(await of.rolloutOf('feature-99')).to.equal('50');
  });
});

async function troubleOf(work: Promise<unknown>): Promise<UnleashError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof UnleashError) return error;
    throw error;
  }
  throw new Error('it succeeded');
}
