import { expect } from 'chai';
import { refreshVerdicts } from '#core/clickhouse';
import { type Engines, withEngines } from '#tooling/operations';
import { followVerdicts } from '#base/postgres';
import { findSilentRelays, findVerdicts } from '../../../../services/admin/advice/verdicts/evaluate.ts';
import { createVerdicts } from '../../../../services/admin/advice/verdicts/store.ts';
import { recordFindings } from '../../../../services/admin/advice/verdicts/store/record-findings.ts';
import { listSilentRelays } from '../../../../services/admin/advice/verdicts/store/silent-relays.ts';
import { itNightly } from '../../../support/nightly.ts';
import { callCli } from '../../../support/stack/processes/cli-in-process.ts';
import { sharedWorld } from '../../../support/world.ts';

describe('the verdicts on a sample', () => {
  const world = sharedWorld();

  /** Records what holds now, as the admin service does each minute. */
  const follow = ({ clickhouse }: Engines): Promise<void> =>
    followVerdicts(world.config.postgres, async () => {
      await recordFindings(world.db, await findVerdicts(createVerdicts(clickhouse)));
      await recordFindings(world.db, findSilentRelays(await listSilentRelays(world.db)));
    });

  /** Does that all the time while a command runs, with verdicts that were computed in the middle of it. */
  const whileFollowed = async (engines: Engines, run: () => Promise<unknown>): Promise<void> => {
    const command = { isOver: false };
    const following = async (): Promise<void> => {
      while (!command.isOver) {
        await refreshVerdicts(engines.clickhouse);
        await follow(engines);
      }
      await follow(engines);
    };
    const running = async (): Promise<void> => {
      try {
        await run();
      } finally {
        command.isOver = true;
      }
    };
    await Promise.all([following(), running()]);
  };

  const recorded = async (): Promise<string[]> => {
    const { rows } = await world.db.query<{ verdict: string }>(
      `select concat_ws(' ', verdict, 'of', subject, 'in', environment) as verdict from verdicts`,
    );
    return rows.map(({ verdict }) => verdict);
  };

  // The engines of commands have time: each round computes all verdicts beside a command that does so too.
  itNightly('are recorded as they are in the end, although somebody looks while it is made and removed', () =>
    withEngines(world.config, world.log, async (engines) => {
      await whileFollowed(engines, () => callCli(world, 'sample'));
      const { found } = await findVerdicts(createVerdicts(engines.clickhouse));
      const meant = found.map(
        ({ verdict, subject, environment }) => `${verdict} of ${subject} in ${environment}`,
      );
      expect(await recorded()).to.have.members(meant);
      await whileFollowed(engines, () => callCli(world, 'sample', '--remove'));
      expect(await recorded()).to.have.members(meant);
    }),
  );
});
