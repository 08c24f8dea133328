import { compileGuard, compileQuery, text } from '#base/schema';
import { OF_FEATURE } from '../../http/access/scope.ts';
import { type Operation, idParameter, nameParameter, withBody } from '../../http/operation.ts';
import { LongList } from '../../http/answers/stream-list.ts';
import { ReadsInTurn } from '../../http/turns/reads-in-turn.ts';
import type { UnknownFlagsStore } from '../unknown-flags/store.ts';
import {
  type CodeRepository,
  MAX_PUSH_BYTES,
  type Push,
  type SearchedName,
  featureReferencesSchema,
  pushSchema,
  referenceCountsSchema,
  repositoriesSchema,
  repositorySchema,
  searchedNamesSchema,
} from './schema.ts';
import type { CodeReferences } from './store.ts';

type Stores = { readonly codeReferences: CodeReferences; readonly unknownFlags: UnknownFlagsStore };

const SCANNED = {
  repository: 'github.com/acme/shop',
  branch: 'main',
  commit: '6f1c3f2e4f0c4b8e9a530d8f7f1f2a1165e2d0c4',
  committedAt: '2026-11-26T10:12:00.000Z',
  linkTemplate: 'https://github.com/acme/shop/blob/{commit}/{path}#L{line}',
  leftOut: 0,
};
const STORED = { id: 3, ...SCANNED, pushedAt: '2026-11-26T10:15:00.000Z', pushedBy: 'ci' };
const EXAMPLE: CodeRepository = { ...STORED, places: 1 };
const PLACE = { path: 'src/basket.ts', line: 12, kind: 'call' } as const;

const PATH = '/api/admin/code-references';
const READ = { tag: 'Code', permission: 'READ', method: 'get', room: 'lists' } as const;

/** Where the code of repositories names features, and what a scan needs to find it. */
export function codeReferenceOperations(stores: Stores): Operation[] {
  const { codeReferences } = stores;
  return [
    pushReferences(codeReferences),
    listSearchedNames(stores),
    ...readOperations(codeReferences),
    ...repositoryOperations(codeReferences),
  ];
}

function readOperations(codeReferences: CodeReferences): Operation[] {
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
        new LongList(await codeReferences.counts(visible), { head: '{"features":[', tail: () => ']}' }),
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
      run: (request) => codeReferences.ofFeature(nameParameter(request, 'featureName')),
    },
  ];
}

function repositoryOperations(codeReferences: CodeReferences): Operation[] {
  return [
    {
      ...READ,
      id: 'listCodeRepositories',
      scope: 'installation',
      path: `${PATH}/repositories`,
      summary: 'The scanned branches of repositories',
      answer: {
        status: 200,
        description: 'The branches.',
        schema: repositoriesSchema,
        example: { repositories: [EXAMPLE] },
      },
      run: async () => ({ repositories: await codeReferences.repositories() }),
    },
    {
      tag: 'Code',
      permission: 'UPDATE_FEATURE',
      id: 'deleteCodeRepository',
      scope: 'installation',
      method: 'delete',
      path: `${PATH}/repositories/{codeRepositoryId}`,
      summary: 'Delete a branch that is scanned no more, with its references',
      answer: { status: 200, description: 'The branch was deleted.' },
      problems: [404],
      run: (request) => codeReferences.delete(idParameter(request, 'codeRepositoryId'), request.caller),
    },
  ];
}

function pushReferences(codeReferences: CodeReferences): Operation {
  return {
    tag: 'Code',
    permission: 'PUSH_CODE_REFERENCES',
    id: 'pushCodeReferences',
    scope: 'installation',
    method: 'post',
    path: PATH,
    summary: 'Replace the references of a branch, as flagmeter scan does',
    body: {
      schema: pushSchema,
      example: { ...SCANNED, references: [{ featureName: 'new-basket', ...PLACE }] },
      maxBytes: MAX_PUSH_BYTES,
    },
    answer: { status: 200, description: 'The branch.', schema: repositorySchema, example: EXAMPLE },
    problems: [409],
    run: withBody(compileGuard<Push>(pushSchema), ({ caller }, body) => codeReferences.push(body, caller)),
  };
}

type NamesQuery = { readonly project?: string };

const namesQuery = {
  type: 'object',
  properties: { project: text('Only features of this project.') },
} as const;

function listSearchedNames({ codeReferences, unknownFlags }: Stores): Operation<NamesQuery> {
  const reads = new ReadsInTurn<string[]>();
  return {
    tag: 'Code',
    permission: 'READ_NAMES',
    id: 'listSearchedNames',
    scope: 'visible',
    method: 'get',
    room: 'lists',
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
      const features = await codeReferences.featureNames(project, visible);
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
