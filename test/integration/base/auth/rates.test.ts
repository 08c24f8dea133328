import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Rates, openRates } from '#base/auth';
import { createLog } from '#base/runtime';
import { stackEnv } from '../../../support/stack/engines/stack-addresses.ts';
import { eventually } from '../../../support/eventually.ts';
import { type TcpProxy, startTcpProxy } from '../../../support/stack/proxies/tcp-proxy.ts';

const WINDOW_MS = 2000;
const LONG_WINDOW_MS = 60_000;

describe('openRates', () => {
  let proxy: TcpProxy;
  const log = createLog('test', 'fatal');
  let access: Parameters<typeof openRates>[0];
  let rates: Rates;

  before(async () => {
    const url = new URL(stackEnv().REDIS_URL);
    const port = Number(url.port);
    proxy = await startTcpProxy(() => port);
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    access = { url: url.toString(), tls: undefined };
    rates = openRates(access, log, WINDOW_MS);
  });
  after(async () => {
    await rates.close();
    await proxy.close();
  });

  it('counts within a window, and starts again with the next one', async () => {
    const token = randomUUID();
    const counted = [rates.count(token), rates.count(token)];
    const renewed = await eventually(
      () => Promise.resolve(rates.count(token)),
      ({ requests }) => requests === 1,
    );
    expect(counted.map(({ requests }) => requests)).to.deep.equal([1, 2]);
    expect(renewed.resetMs).to.be.within(1, WINDOW_MS);
  });

  it('adds up the counts of several processes', async () => {
    const token = randomUUID();
    const other = openRates(access, log, LONG_WINDOW_MS);
    const third = openRates(access, log, LONG_WINDOW_MS);
    for (let request = 0; request < 1000; request += 1) other.count(token);
    let own = 0;
    await eventually(
      () => {
        own += 1;
        return Promise.resolve(third.count(token).requests);
      },
      (requests) => requests === 1000 + own,
    );
    await Promise.all([other.close(), third.close()]);
  });

  it('counts alone while Redis does not answer', async () => {
    const token = randomUUID();
    const alone = openRates(access, log, LONG_WINDOW_MS);
    proxy.swallowAnswers();
    let own = 0;
    const count = (): number => {
      own += 1;
      return alone.count(token).requests;
    };
    await eventually(
      () => Promise.resolve(count()),
      () => !alone.areShared(),
    );
    for (let request = 0; request < 1000; request += 1) expect(count()).to.equal(own);
    await proxy.mend();

    await eventually(
      () => Promise.resolve(count()),
      () => alone.areShared(),
    );
    await alone.close();
  });
});
