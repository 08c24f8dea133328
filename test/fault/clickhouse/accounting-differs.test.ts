import { expect } from 'chai';
import { askAccounting } from '../../support/admin-api/accounting.ts';
import { openApi } from '../../support/admin-api/admin.ts';
import { holds } from '../../support/documents/alert-expressions.ts';
import { healthQueries } from '../../support/documents/dashboards.ts';
import { addStrayRow, removeStrayRow } from '../../support/stack/engines/clickhouse/stray-row.ts';
import { eventually } from '../../support/eventually.ts';
import { itNightly } from '../../support/nightly.ts';
import { runCli } from '../../support/stack/processes/cli.ts';
import { type Scene, processOf } from '../../support/stories/scene.ts';
import { describeStory } from '../../support/stories/story.ts';

const BALANCED = 'flagmeter_accounting_balanced';
const ALERT = healthQueries().find(({ title }) => title === 'FlagmeterAccountingDiffers')?.query ?? '';

describeStory('11 accounting that really differs', ({ random, rounds, open, expectHonest }) => {
  itNightly(
    'is shown with the day and the table by metric, alert, CLI and API, while everything keeps running',
    async () => {
      const scene = await open({ mayDiffer: true });
      await rounds(1, async () => {
        expect(holds(ALERT, { after: await untilBalanced(scene, 1) })).to.equal(false);
        const day = await addStrayRow(scene.world);

        expect(holds(ALERT, { after: await untilBalanced(scene, 0) })).to.equal(true);
        const { code, stdout } = await runCli(scene.world, ['reconcile']);
        expect(code).to.equal(1);
        expect(stdout).to.include(`${day} usage_daily`);
        const api = await openApi(processOf(scene, 'admin').url);
        const { isBalanced, differences } = await askAccounting(api);
        expect(isBalanced).to.equal(false);
        expect(differences.map(({ subject }) => subject)).to.deep.equal([`${day} usage_daily`]);

        await scene.load.acknowledged(random.between(5, 20));
        await scene.counted();
        await removeStrayRow(scene.world);
        await untilBalanced(scene, 1);
      });

      await expectHonest(scene);
      expect(scene.onlookers.differences().join('\n')).to.include('scrape: ').and.to.include('reconcile: ');
    },
  );
});

/** The lines of a scrape with the gauge of the accounting: 1 if it agrees, otherwise 0. */
function untilBalanced(scene: Scene, value: 0 | 1): Promise<string[]> {
  const { url } = processOf(scene, 'admin');
  return eventually(
    async () => (await (await fetch(`${url}/internal-backstage/prometheus`)).text()).split('\n'),
    (lines) => lines.includes(`${BALANCED} ${value}`),
  );
}
