import { expect } from 'chai';
import { createBlocks } from '#core/clickhouse';
import { readConfig } from '#base/runtime';
import { aBlock } from '../../../support/stack/engines/clickhouse/stored-blocks.ts';
import { callCli } from '../../../support/stack/processes/cli-in-process.ts';
import { aFreshMetric } from '../../../support/requests/post.ts';
import { sharedWorld } from '../../../support/world.ts';

describe('flagmeter doctor in front of Unleash', () => {
  const world = sharedWorld();

  it('finds environments that Unleash gets nothing of', async () => {
    const url = { UNLEASH_URL: 'http://127.0.0.1:9' };
    const findingWith = async (settings: Readonly<Record<string, string>>) => {
      const config = readConfig({ ...world.env, ...url, ...settings });
      const { output } = await callCli({ ...world, config }, 'doctor', '--json');
      const { checks } = JSON.parse(output) as { checks: { check: string; state: string; text: string }[] };
      return checks.find(({ check }) => check === 'mirror of Unleash');
    };
    expect(await findingWith({})).to.include({
      state: 'warn',
      text: 'Unleash gets no counts, impact metrics and applications: the mirror is off.',
    });
    await createBlocks(world.clickhouse).insert(aBlock({ metrics: [aFreshMetric()], from: 1000n }));
    const tokens = { UNLEASH_MIRROR_TOKENS: '*:development.of-unleash-0123456789' };
    expect((await findingWith(tokens))?.text).to.include(
      'production: UNLEASH_MIRROR_TOKENS has no token for that',
    );
  });
});
