import { expect } from 'chai';
import { untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { eventually } from '../../support/eventually.ts';
import { itNightly } from '../../support/nightly.ts';
import {
  type Usage,
  usageOfApplication,
} from '../../support/senders/sdks/openfeature/openfeature-evaluations.ts';
import { UNLEASH_SDKS, type UnleashSdk } from '../../support/senders/sdks/unleash-sdks.ts';
import type { Front } from './front.ts';
import { GRADUAL } from './sdks.ts';

const FEATURE = 'gradual-languages';
const USERS = 50;
/** The first one installs and compiles. */
const TIMEOUT_MS = 600_000;
const SDKS = [
  [it, 'Node 6', /^unleash-node-sdk:6\./u],
  [itNightly, 'Node 5', /^unleash-client-node:5\.6\.1$/u],
  [itNightly, 'Node 3', /^unleash-client-node:3\.21\.0$/u],
  [itNightly, 'Java', /^unleash-java-sdk:12\.2\.3$/u],
  [itNightly, 'Python 6', /^unleash-python-sdk:6\./u],
  [itNightly, 'Python 5', /^unleash-client-python:5\.12\.5$/u],
] as const;

export function testLanguages(front: () => Front): void {
  let unleash: Front['unleash'];
  let world: Front['world'];
  let flagmeter: Front['flagmeter'];
  const sdks: UnleashSdk[] = [];
  before(async () => {
    ({ unleash, world, flagmeter } = front());
    await unleash.createFeature(FEATURE, [GRADUAL]);
    await unleash.untilServed(FEATURE);
  });
  afterEach(dispose);

  for (const [test, name, version] of SDKS) {
    const appName = `sdk-for-${name.replace(' ', '-')}`;
    test(`is counted to the last evaluation and purchase: ${name}`, async function (this: Mocha.Context) {
      this.timeout(TIMEOUT_MS);
      const sdk = await UNLEASH_SDKS[name]({
        url: flagmeter.url,
        secret: unleash.secrets.production,
        appName,
      });
      sdks.push(sdk);
      let usage: Usage = {};
      let purchases = 0;
      for (let round = 1; round <= 3; round += 1) {
        usage = await sdk.evaluate(FEATURE, round * USERS);
        await eventually(
          () => usageOfApplication(world, appName),
          (stored) => evaluationsOf(stored) >= evaluationsOf(usage),
        );
        // In an interval without evaluations.
        await sdk.purchase?.(round);
        purchases += sdk.purchase === undefined ? 0 : round;
        await eventually(
          () => purchasesOf(appName),
          (stored) => stored >= purchases,
        );
      }
      await dispose(); // idle SDKs report all the same
      await untilCounted(world);
      expect(evaluationsOf(usage)).to.equal(2 * (1 + 2 + 3) * USERS);
      expect(await usageOfApplication(world, appName)).to.deep.equal(usage);
      expect(await purchasesOf(appName)).to.equal(purchases);
      expect(
        await world.query('select * from refusals where app_name = {appName:String}', { appName }),
      ).to.deep.equal([]);
    });

    test(`says each second: ${name}`, async () => {
      const { rows } = await world.db.query<{ interval_ms: number; sdk_version: string }>(
        'select interval_ms, sdk_version from client_instances where app_name = $1 and instance_id = $1',
        [appName],
      );
      expect(rows).to.have.length(1);
      expect(rows[0]?.interval_ms).to.equal(1000);
      expect(rows[0]?.sdk_version).to.match(version);
    });
  }

  async function dispose(): Promise<void> {
    await Promise.all(sdks.splice(0).map((sdk) => sdk.dispose()));
  }

  async function purchasesOf(appName: string): Promise<number> {
    const [row] = await world.query<{ value: number }>(
      `select sum(i.value) as value from impact_by_hour as i where app_name = {appName:String} and metric_name = 'purchases'`,
      { appName },
    );
    return row?.value ?? 0;
  }
}

function evaluationsOf(usage: Usage): number {
  return Object.values(usage).reduce((sum, { yes, no }) => sum + yes + no, 0);
}
