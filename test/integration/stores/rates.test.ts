import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createLog } from '#runtime';
import { type Rates, openRates } from '#stores';
import { eventually } from '../../support/eventually.ts';
import { stackEnv } from '../../support/stack-addresses.ts';
import { type TcpProxy, startTcpProxy } from '../../support/tcp-proxy.ts';

const WINDOW_MS = 2000;

describe('openRates', function () {
  let proxy: TcpProxy;
  let rates: Rates;

  before(async () => {
    const url = new URL(stackEnv().REDIS_URL);
    const port = Number(url.port);
    proxy = await startTcpProxy(() => port);
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    rates = openRates({ url: url.toString(), tls: undefined }, createLog('test', 'fatal'), WINDOW_MS);
  });
  after(async () => {
    rates.close();
    await proxy.close();
  });

  it('counts within a window, and begins anew with the next one', async () => {
    const token = randomUUID();
    await eventually(
      () => rates.count(token),
      (rate) => rate !== undefined && rate.requests > 1,
    );
    const renewed = await eventually(
      () => rates.count(token),
      (rate) => rate?.requests === 1,
    );
    expect(renewed?.resetMs).to.be.within(1, WINDOW_MS);
  });

  it('tells at once that it cannot be told after an answer that did not come', async () => {
    proxy.swallowAnswers();
    expect(await rates.count('token')).to.equal(undefined);
    const started = performance.now();
    for (let request = 0; request < 1000; request += 1) await rates.count('token');
    expect(performance.now() - started).to.be.lessThan(1000 * 100);
    await proxy.mend();

    expect(
      await eventually(
        () => rates.count(randomUUID()),
        (rate) => rate !== undefined,
      ),
    ).to.include({ requests: 1 });
  });
});
