import { expect } from 'chai';
import { type OwnClickHouse, ownClickHouse } from '../../support/engines/own-engines.ts';
import { addStrayRow } from '../../support/engines/clickhouse/stray-row.ts';
import { eventually } from '../../support/eventually.ts';
import type { ServiceProcess } from '../../support/processes/process.ts';
import { type World, createWorld } from '../../support/world.ts';

const BALANCED = /^flagmeter_accounting_balanced(?:\{process="standalone"\})? (\d)$/m;
const READABLE = /^flagmeter_accounting_readable(?:\{process="standalone"\})? (\d)$/m;

/** If a process ends during these tests, the hooks of the suite fail them. */
describe('a scrape of the accounting', () => {
  let engine: OwnClickHouse;
  let world: World;
  let scraped: readonly ServiceProcess[];

  before(async () => {
    engine = await ownClickHouse();
    world = await createWorld({ ...engine.access });
    scraped = await Promise.all(['admin', 'standalone'].map((service) => world.fork(service)));
  });
  after(async () => {
    await engine.revive();
    await world.dispose();
    await engine.dispose();
  });

  it('shows a difference', async () => {
    await addStrayRow(world);
    await eventually(scrapeAll, (texts) => texts.every((text) => BALANCED.exec(text)?.[1] === '0'));
  });

  it('gets an answer while ClickHouse is frozen, which shows that the accounting cannot be read', async () => {
    await engine.freeze();
    const frozen = await eventually(scrapeAll, (texts) =>
      texts.every((text) => READABLE.exec(text)?.[1] === '0'),
    );
    for (const text of frozen) expect(text).not.to.match(BALANCED);
  });

  function scrapeAll(): Promise<string[]> {
    return Promise.all(
      scraped.map(async ({ url }) => {
        const answer = await fetch(`${url}/internal-backstage/prometheus`);
        expect(answer.status).to.equal(200);
        return answer.text();
      }),
    );
  }
});
