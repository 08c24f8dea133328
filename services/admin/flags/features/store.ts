import {
  type Pages,
  type Postgres,
  type PostgresClient,
  inTransaction,
  mapPages,
  pageOf,
  readPages,
} from '#base/postgres';
import type { Caller } from '#base/tokens';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { AdminPools } from '../../pools.ts';
import type { Feature, FeatureUpdate, NewFeature } from './schema.ts';
import { archiveFeature, reviveFeature } from './store/archive.ts';
import { type FeatureWrite, changeFeature, withVersion } from './store/change.ts';
import { CONTENT_COLUMNS, contentOfNew, valuesOf } from './store/columns.ts';
import { writeEnabled } from './store/enable.ts';
import { makeWay } from './store/make-way.ts';
import { type FeatureRow, lookUpLastSeen, selectFeatures, toFeature } from './store/feature-rows.ts';
import { type GuardDenial, denialOfGuards, noteSetter } from './store/guards.ts';
import { type PassedOn, recordPassedOn } from './store/passed-on.ts';
import { type ProjectDenial, projectFor } from './store/project-for.ts';
import { type ProvedHarmful, type Unproved, turnOffHarmful, withholdUnproved } from './store/turn-off.ts';
import { isForAllSources, moveFeature, updateFeature } from './store/update.ts';

const SELECT_FEATURES = selectFeatures(lookUpLastSeen("''"));

type ArchiveBy = Pick<FeatureWrite, 'caller' | 'isCurrent'>;

export type Features = ReturnType<typeof createFeatures>;

export function createFeatures({ db, lists }: AdminPools) {
  return {
    /** Undefined if the project does not exist. */
    async list(project: string, areArchived: boolean, caller: Caller): Promise<Pages<Feature> | undefined> {
      const found = await lists.query('select from projects where id = $1', [project]);
      if (found.rowCount === 0) return undefined;
      const pages = await readPages<FeatureRow>(async (last) => {
        const { rows } = await lists.query<FeatureRow>(
          pageOf({
            from: `
              ${SELECT_FEATURES}
              where f.project = $3
                and f.archived_at is ${areArchived ? 'not null' : 'null'}
                and f.name > $4`,
            order: 'name',
          }),
          [caller.userId, caller.tokenId, project, last?.name ?? ''],
        );
        return rows;
      });
      return mapPages(pages, toFeature);
    },

    async find(project: string, name: string, caller: Caller): Promise<FoundFeature | undefined> {
      return findFeature(db, { project, name, caller });
    },

    create(project: string, feature: NewFeature, caller: Caller): Promise<CreationResult> {
      return inTransaction(db, (client) => createFeature(client, { project, feature, caller }));
    },

    archive: (name: string, by: ArchiveBy) =>
      inTransaction(db, (client) => withVersion(client, name, archiveFeature(client, name, by))),

    revive: (name: string, by: ArchiveBy) =>
      inTransaction(db, (client) => withVersion(client, name, reviveFeature(client, name, by))),

    /** `write` names an environment. */
    enable: (write: FeatureWrite & { readonly environment: string }, isEnabled: boolean) =>
      inTransaction(db, (client) =>
        changeFeature(client, write, () => writeEnabled(client, { ...write, isEnabled })),
      ),

    update: (write: FeatureWrite, update: FeatureUpdate) =>
      inTransaction(db, (client) =>
        changeFeature(client, { ...write, isForAllSources: isForAllSources(update) }, async (before) => {
          const denial = await updateFeature(client, before, { write, update });
          if (denial !== undefined) return denial;
          const found = await findFeature(client, { ...write, name: write.feature });
          return { feature: found?.feature };
        }),
      ),

    move: (write: FeatureWrite, newProject: string) =>
      inTransaction(db, (client) =>
        changeFeature(client, write, (before) => moveFeature(client, before, { write, newProject })),
      ),

    async projectOf(name: string): Promise<string | undefined> {
      const { rows } = await db.query<{ project: string }>('select project from features where name = $1', [
        name,
      ]);
      return rows[0]?.project;
    },

    turnOffHarmful: (harmful: ProvedHarmful) =>
      inTransaction(db, (client) => turnOffHarmful(client, harmful)),

    withholdUnproved: (found: Unproved) => inTransaction(db, (client) => withholdUnproved(client, found)),

    recordPassedOn: (change: PassedOn) => inTransaction(db, (client) => recordPassedOn(client, change)),
  };
}

/** A feature, and its version for If-Match. */
export type FoundFeature = { readonly feature: Feature; readonly version: number };

type Sought = { readonly project: string; readonly name: string; readonly caller: Caller };

async function findFeature(
  db: Postgres | PostgresClient,
  { project, name, caller }: Sought,
): Promise<FoundFeature | undefined> {
  const { rows } = await db.query<FeatureRow>(`${SELECT_FEATURES} where f.project = $3 and f.name = $4`, [
    caller.userId,
    caller.tokenId,
    project,
    name,
  ]);
  return rows.map((row) => ({ feature: toFeature(row), version: row.version }))[0];
}

export type CreationResult = FoundFeature | 'exists' | ProjectDenial | GuardDenial;

type Creation = { readonly project: string; readonly feature: NewFeature; readonly caller: Caller };

async function createFeature(
  client: PostgresClient,
  { project, feature, caller }: Creation,
): Promise<CreationResult> {
  const readiness = await projectFor(client, project);
  if (readiness !== 'ready') return readiness;
  const { name } = feature;
  const content = contentOfNew(feature);
  const guards = { project, caller, source: 'flagmeter', before: [], after: content.guards };
  const denial = await denialOfGuards(client, guards);
  if (denial !== undefined) return denial;
  await makeWay(client, [{ name }]);
  const inserted = await client.query(
    `insert into features (name, project, created_by_user_id, ${CONTENT_COLUMNS.join(', ')})
     values ($1, $2, $3, ${CONTENT_COLUMNS.map((_column, index) => `$${index + 4}`).join(', ')})
     on conflict (name) do nothing`,
    [name, project, caller.userId, ...valuesOf(content)],
  );
  if (inserted.rowCount === 0) return 'exists';
  await noteSetter(client, name, guards);
  const data = { name, project, ...content };
  await recordEvent(client, { type: 'feature-created', caller, project, featureName: name, data });
  return (await findFeature(client, { project, name, caller })) ?? 'exists';
}
