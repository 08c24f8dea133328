import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Rates, openRates } from '#base/auth';
import { createLog } from '#base/runtime';
import { BUS_WAYS, type BusWay } from '../../../support/stack/bus/bus-ways.ts';
import { eventually } from '../../../support/eventually.ts';

const WINDOW_MS = 2000;
const LONG_WINDOW_MS = 60_000;

for (const [name, openWay] of Object.entries(BUS_WAYS))
  describe(`openRates through ${name}`, () => {
    const log = createLog('test', 'fatal');
    let way: BusWay;
    const opened: Rates[] = [];

    before(async () => {
      way = await openWay();
    });
    after(async () => {
      await Promise.all(opened.map((rates) => rates.close()));
      await way.close();
    });

    it('counts within a window, and starts again with the next one', async () => {
      const rates = await open(WINDOW_MS);
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
      const [other, third] = [await open(), await open()];
      let [sent, own] = [0, 0];
      // Again and again, because counts whose exchange took too long are not sent again.
      const requests = await eventually(
        () => {
          for (let request = 0; request < 1000; request += 1) other.count(token);
          sent += 1000;
          own += 1;
          return Promise.resolve(third.count(token).requests);
        },
        (counted) => counted > 1000,
      );
      expect(requests).to.be.at.most(sent + own);
    });

    it('counts alone while nobody answers', async () => {
      const token = randomUUID();
      const alone = await open();
      way.silence();
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
      await way.mend();

      await eventually(
        () => Promise.resolve(count()),
        () => alone.areShared(),
      );
    });

    async function open(windowMs = LONG_WINDOW_MS): Promise<Rates> {
      const rates = openRates(await way.open(), log, windowMs);
      opened.push(rates);
      return rates;
    }
  });
