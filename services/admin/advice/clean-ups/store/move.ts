import { type Postgres, inTransaction } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { Denial, notFound } from '../../../denial.ts';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import type { CleanUp, CleanUpMove } from '../schema.ts';
import { type Stage, isBack } from '../rules.ts';
import { listCleanUps } from './list.ts';

/** Moves a flag of the board for a person. */
export function moveCleanUp(
  db: Postgres,
  featureName: string,
  { move: { stage, url }, caller }: { readonly move: CleanUpMove; readonly caller: Caller },
): Promise<CleanUp> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<{ stage: Stage; project: string; url: string | null }>(
      `select c.stage, c.url, f.project
       from clean_ups as c
       join features as f on f.name = c.feature_name
       where c.feature_name = $1
       for update of c`,
      [featureName],
    );
    const [before] = rows;
    if (before === undefined) throw notFound('This feature is not on the board of the clean-up.');
    if (before.stage === 'archived')
      throw new Denial('FeatureArchived', 'This feature is archived: revive it instead.');
    const isMoved = stage !== before.stage;
    await client.query(
      `update clean_ups
       set
         stage = $2,
         url = $3,
         since = case when $4 then now() else since end,
         moved_by = case when $4 then $5 else moved_by end,
         held_at = case when $6 then now() else held_at end,
         told_at = case when $2 = 'found' then null when $2 = 'told' then coalesce(told_at, now()) else told_at end,
         told_to = case when $2 = 'found' then null when $2 = 'told' then coalesce(told_to, $5) else told_to end
       where feature_name = $1`,
      [
        featureName,
        stage,
        url === undefined ? before.url : url,
        isMoved,
        caller.name,
        isBack(before.stage, stage),
      ],
    );
    const [after] = await listCleanUps(client, { feature: featureName, limit: 1 }, undefined);
    if (after === undefined) throw new Error('a locked flag of the board is gone');
    if (isMoved || after.url !== before.url)
      await recordEvent(client, {
        type: 'clean-up-moved',
        caller,
        featureName,
        project: before.project,
        data: { stage, url: after.url },
        preData: { stage: before.stage, url: before.url },
      });
    return after;
  });
}
