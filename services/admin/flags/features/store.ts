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
import { Denial, notFound } from '../../denial.ts';
import { requireKnownProject } from '../projects/store/known.ts';
import type { AdminPools } from '../../pools.ts';
import type { Feature, FeatureUpdate, NewFeature } from './schema.ts';
import { archiveFeature, reviveFeature } from './store/archive.ts';
import {
  type FeatureWrite,
  changeFeature,
  lockToChange,
  requireChangeable,
  versionOf,
} from './store/change.ts';
import { CONTENT_COLUMNS, contentOfNew, valuesOf } from './store/columns.ts';
import { writeEnabled } from './store/enable.ts';
import { makeWay } from './store/make-way.ts';
import { type FeatureRow, lookUpLastSeen, selectFeatures, toFeature } from './store/feature-rows.ts';
import { checkGuards, noteSetter } from './store/guards.ts';
import { type PassedOn, recordPassedOn } from './store/passed-on.ts';
import { requireProject } from './store/project-for.ts';
import { type ProvedHarmful, type Unproved, turnOffHarmful, withholdUnproved } from './store/turn-off.ts';
import { isForAllSources, moveFeature, updateFeature } from './store/update.ts';

const SELECT_FEATURES = selectFeatures(lookUpLastSeen("''"));

type ArchiveBy = Pick<FeatureWrite, 'caller' | 'isCurrent'>;

export type Features = ReturnType<typeof createFeatures>;

export function createFeatures({ db, lists }: AdminPools) {
  return {
    async list(project: string, areArchived: boolean, caller: Caller): Promise<Pages<Feature>> {
      await requireKnownProject(lists, project);
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

    find: (project: string, name: string, caller: Caller) => findFeature(db, { project, name, caller }),

    create(project: string, feature: NewFeature, caller: Caller): Promise<FoundFeature> {
      return inTransaction(db, (client) => createFeature(client, { project, feature, caller }));
    },

    /** Returns the version; undefined if Unleash owns the feature. */
    archive: (name: string, by: ArchiveBy) => inTransaction(db, (client) => archiveFeature(client, name, by)),

    revive: (name: string, by: ArchiveBy) => inTransaction(db, (client) => reviveFeature(client, name, by)),

    /** Returns the version; undefined if Unleash owns the feature. */
    enable: (write: FeatureWrite & { readonly environment: string }, isEnabled: boolean) =>
      inTransaction(db, async (client) => {
        const before = await lockToChange(client, write);
        if (before.source === 'unleash') return undefined;
        await requireChangeable(client, before, write);
        await writeEnabled(client, { ...write, isEnabled });
        return versionOf(client, write.feature);
      }),

    update: (write: FeatureWrite, update: FeatureUpdate) =>
      inTransaction(db, async (client) => {
        const ofAll = { ...write, isForAllSources: isForAllSources(update) };
        await changeFeature(client, ofAll, (before) => updateFeature(client, before, { write, update }));
        return findFeature(client, { ...write, name: write.feature });
      }),

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
): Promise<FoundFeature> {
  const { rows } = await db.query<FeatureRow>(`${SELECT_FEATURES} where f.project = $3 and f.name = $4`, [
    caller.userId,
    caller.tokenId,
    project,
    name,
  ]);
  const [row] = rows;
  if (row === undefined) throw notFound('There is no such feature in this project.');
  return { feature: toFeature(row), version: row.version };
}

type Creation = { readonly project: string; readonly feature: NewFeature; readonly caller: Caller };

async function createFeature(
  client: PostgresClient,
  { project, feature, caller }: Creation,
): Promise<FoundFeature> {
  await requireProject(client, project, 'this project');
  const { name } = feature;
  const content = contentOfNew(feature);
  const guards = { project, caller, source: 'flagmeter', before: [], after: content.guards };
  await checkGuards(client, guards);
  await makeWay(client, [{ name }]);
  const inserted = await client.query(
    `insert into features (name, project, created_by_user_id, ${CONTENT_COLUMNS.join(', ')})
     values ($1, $2, $3, ${CONTENT_COLUMNS.map((_column, index) => `$${index + 4}`).join(', ')})
     on conflict (name) do nothing`,
    [name, project, caller.userId, ...valuesOf(content)],
  );
  if (inserted.rowCount === 0)
    throw new Denial('NameExistsError', 'A feature with this name already exists.');
  await noteSetter(client, name, guards);
  const data = { name, project, ...content };
  await recordEvent(client, { type: 'feature-created', caller, project, featureName: name, data });
  return findFeature(client, { project, name, caller });
}
