import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import { compileGuard } from '#base/schema';
import { IN_PROJECT } from '../../http/access/scope.ts';
import { Versioned } from '../../http/answers/versions.ts';
import { COMMENTED } from '../../http/comment.ts';
import { type Operation, withBody } from '../../http/operation.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { EventType } from '../../record/events/types-schema.ts';
import { type FeatureWrite, changeFeature, writeOf } from './change/change.ts';
import { checkGuards, noteSetter } from './change/guards.ts';
import type { LockedFeature } from './change/lock.ts';
import { CONTENT_COLUMNS, type Content, changedMembers, updatedContent, valuesOf } from './columns.ts';
import { FEATURE } from './example.ts';
import { findFeature } from './read.ts';
import { type FeatureUpdate, featureSchema, featureUpdateSchema } from './schema.ts';

const isFeatureUpdate = compileGuard<FeatureUpdate>(featureUpdateSchema);

export function updateFeature(db: Postgres): Operation {
  return {
    id: 'updateFeature',
    scope: IN_PROJECT,
    method: 'put',
    path: '/api/admin/projects/{projectId}/features/{featureName}',
    tag: 'Features',
    summary:
      'Change the description, type, stale mark, owner, tags or impression data of a feature; absent members stay. Of a feature of Unleash only the owner can be changed',
    permission: 'UPDATE_FEATURE',
    isVersioned: true,
    query: COMMENTED,
    ifMatch: 'optional',
    body: { schema: featureUpdateSchema, example: { description: 'The new basket', stale: true } },
    answer: {
      status: 200,
      description: 'The feature as it is now.',
      schema: featureSchema,
      example: FEATURE,
    },
    problems: [404, 409],
    run: withBody(isFeatureUpdate, async (request, update) => {
      const write = { ...writeOf(request), isForAllSources: isForAllSources(update) };
      const { version, feature } = await inTransaction(db, async (client) => {
        await changeFeature(client, write, (before) => writeUpdate(client, before, { write, update }));
        return findFeature(client, { ...write, name: write.feature });
      });
      return new Versioned(version, feature);
    }),
  };
}

/** What Unleash has not, so that we keep it for features of Unleash too. */
const OURS: readonly string[] = ['owner', 'guards'] satisfies (keyof FeatureUpdate)[];

/** Whether an update also applies to features of Unleash. */
function isForAllSources(update: FeatureUpdate): boolean {
  return Object.keys(update).every((member) => OURS.includes(member));
}

/** Writes the members of the update that are present, and one event if anything changes. */
async function writeUpdate(
  client: PostgresClient,
  before: LockedFeature,
  {
    write: { project, feature, caller },
    update,
  }: { readonly write: FeatureWrite; readonly update: FeatureUpdate },
): Promise<void> {
  const preData = before.content;
  const data = updatedContent(preData, update);
  const type = eventOf(preData, data);
  if (type === undefined) return;
  const guards = { project, caller, source: before.source, before: preData.guards, after: data.guards };
  await checkGuards(client, guards);
  await client.query(
    `update features
     set ${CONTENT_COLUMNS.map((column, index) => `${column} = $${index + 2}`).join(', ')}
     where name = $1`,
    [feature, ...valuesOf(data)],
  );
  await noteSetter(client, feature, guards);
  await recordEvent(client, { type, caller, project, featureName: feature, data, preData });
}

/** Unleash has separate events for a feature that becomes stale or is not stale any more. Undefined if nothing changes. */
function eventOf(before: Content, after: Content): EventType | undefined {
  const changed = changedMembers(before, after);
  if (changed.length === 0) return undefined;
  if (changed.some((name) => name !== 'stale')) return 'feature-metadata-updated';
  return after.stale ? 'feature-stale-on' : 'feature-stale-off';
}
