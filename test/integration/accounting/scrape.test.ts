import { expect } from 'chai';
import { addStrayRow } from '../../support/stack/engines/clickhouse/stray-row.ts';
import { eventually } from '../../support/eventually.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import { type TcpProxy, startTcpProxy } from '../../support/stack/proxies/tcp-proxy.ts';
import { sharedWorld } from '../../support/world.ts';

const BALANCED = /^flagmeter_accounting_balanced(?:\{process="standalone"\})? (\d)$/m;
/** Of several readings, each with its deadline. */
const PATIENCE_MS = 200_000;
const READABLE = /^flagmeter_accounting_readable(?:\{process="standalone"\})? (\d)$/m;

/** If a process ends during these tests, the hooks of the suite fail them. */
describe('a scrape of the accounting', () => {
  let wire: TcpProxy;
  const world = sharedWorld();
  let scraped: readonly ServiceProcess[];

  before(async () => {
    const { port } = new URL(world.config.clickhouse.url);
    wire = await startTcpProxy(() => Number(port));
    const throughWire = { CLICKHOUSE_URL: `http://127.0.0.1:${wire.port}` };
    scraped = await Promise.all(['admin', 'standalone'].map((service) => world.fork(service, throughWire)));
  });
  after(async () => {
    await wire.mend();
    await world.dispose();
    await wire.close();
  });

  it('shows a difference', async () => {
    await addStrayRow(world);
    // On a busy machine the first readings are given up after their deadline, and each is kept for a while.
    await eventually(
      scrapeAll,
      (texts) => texts.every((text) => BALANCED.exec(text)?.[1] === '0'),
      PATIENCE_MS,
    );
  });

  it('gets an answer while ClickHouse does not answer, which shows that the accounting cannot be read', async () => {
    wire.swallowAnswers();
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
