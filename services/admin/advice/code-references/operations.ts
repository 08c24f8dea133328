import { compileQuery, text } from '#base/schema';
import { OF_FEATURE } from '../../http/access/scope.ts';
import { type Operation, nameParameter } from '../../http/operation.ts';
import { LongList } from '../../http/answers/stream-list.ts';
import { ReadsInTurn } from '../../http/turns/reads-in-turn.ts';
import type { AdminPools } from '../../pools.ts';
import type { UnknownFlagsStore } from '../unknown-flags/store.ts';
import { PLACE, STORED } from './example.ts';
import { pushReferences } from './push.ts';
import { readCounts, readFeatureNames, readOfFeature } from './read.ts';
import { repositoryOperations } from './repositories.ts';
import {
  type SearchedName,
  featureReferencesSchema,
  referenceCountsSchema,
  searchedNamesSchema,
} from './schema.ts';

type Stores = { readonly pools: AdminPools; readonly unknownFlags: UnknownFlagsStore };

const PATH = '/api/admin/code-references';
const READ = { tag: 'Code', permission: 'READ', method: 'get', queue: 'lists' } as const;

/** Where the code of repositories names features, and what a scan needs to find it. */
export function codeReferenceOperations(stores: Stores): Operation[] {
  const { pools } = stores;
  return [
    pushReferences(pools.db),
    listSearchedNames(stores),
    ...readOperations(pools),
    ...repositoryOperations(pools),
  ];
}

function readOperations({ lists }: AdminPools): Operation[] {
  return [
    {
      ...READ,
      id: 'listCodeReferenceCounts',
      scope: 'visible',
      path: `${PATH}/counts`,
      summary: 'How many places of the code have each name, by name',
      answer: {
        status: 200,
        description: 'The names that were found.',
        schema: referenceCountsSchema,
        example: { features: [{ featureName: 'new-basket', calls: 1, mentions: 0, repositories: 1 }] },
      },
      run: async ({ visible }) =>
        new LongList(await readCounts(lists, visible), { head: '{"features":[', tail: () => ']}' }),
    },
    {
      ...READ,
      id: 'getCodeReferencesOfFeature',
      scope: OF_FEATURE,
      path: `${PATH}/features/{featureName}`,
      summary: 'The places of the code that have a name, whether a feature has it or not',
      answer: {
        status: 200,
        description: 'The places; none if the name was not found.',
        schema: featureReferencesSchema,
        example: { featureName: 'new-basket', total: 1, repositories: [{ ...STORED, places: [PLACE] }] },
      },
      problems: [404],
      run: (request) => readOfFeature(lists, nameParameter(request, 'featureName')),
    },
  ];
}

type NamesQuery = { readonly project?: string };

const namesQuery = {
  type: 'object',
  properties: { project: text('Only features of this project.') },
} as const;

function listSearchedNames({ pools, unknownFlags }: Stores): Operation<NamesQuery> {
  const reads = new ReadsInTurn<string[]>();
  return {
    tag: 'Code',
    permission: 'READ_NAMES',
    id: 'listSearchedNames',
    scope: 'visible',
    method: 'get',
    queue: 'lists',
    path: `${PATH}/names`,
    summary: 'What a scan searches for: names of features, and unknown names that are evaluated',
    query: compileQuery<NamesQuery>(namesQuery),
    answer: {
      status: 200,
      description: 'The names: all features, and up to 5,000 unknown names, the latest.',
      schema: searchedNamesSchema,
      example: { names: [{ name: 'new-basket', project: 'shop', state: 'active' }] },
    },
    async run({ caller, left, visible, query: { project } }) {
      // An unknown name belongs to no project.
      const isOfAll = project === undefined && visible === undefined;
      const unknown = isOfAll ? await reads.read({ caller, left }, '', () => unknownFlags.names()) : [];
      const features = await readFeatureNames(pools.lists, project, visible);
      return new LongList(following(features, unknown), { head: '{"names":[', tail: () => ']}' });
    },
  };
}

async function* following(
  features: AsyncIterable<readonly SearchedName[]>,
  unknown: readonly string[],
): AsyncGenerator<readonly SearchedName[], void, void> {
  yield* features;
  yield unknown.map((name) => ({ name, project: null, state: 'unknown' as const }));
}
