import { type Pages, type Postgres, mapPages, pageOf, readPages } from '#base/postgres';
import type { Visible } from '#base/tokens';
import type { DescribedRepository, FeatureReferences, ReferenceCount, SearchedName } from './schema.ts';
import { SELECT_DESCRIBED } from './rows.ts';

const MAX_LISTED = 1000;

type OfRepository = FeatureReferences['repositories'][number];
type CodePlace = OfRepository['places'][number];
type PlaceRow = DescribedRepository & CodePlace & { readonly total: number };

/** The places of a name. */
export async function readOfFeature(db: Postgres, featureName: string): Promise<FeatureReferences> {
  const { rows } = await db.query<PlaceRow>(OF_FEATURE, [featureName]);
  const repositories = new Map<number, OfRepository>();
  for (const { path, line, kind, total: _total, ...repository } of rows) {
    const known: OfRepository = repositories.get(repository.id) ?? { ...repository, places: [] };
    known.places.push({ path, line, kind });
    repositories.set(repository.id, known);
  }
  return { featureName, total: rows[0]?.total ?? 0, repositories: [...repositories.values()] };
}

const OF_FEATURE = `
  select ${SELECT_DESCRIBED}, c.path, c.line, c.kind, c.total::int
  from (
    select *, count(*) over () as total
    from code_references
    where feature_name = $1
    order by kind, repository_id, path, line
    limit ${MAX_LISTED}
  ) as c
  join code_repositories as r on r.id = c.repository_id
  order by r.name, r.branch, c.path, c.line`;

type CountRow = {
  readonly feature_name: string;
  readonly calls: number;
  readonly mentions: number;
  readonly repositories: number;
  readonly size_bytes: number;
};

/** By name. */
export async function readCounts(db: Postgres, visible: Visible): Promise<Pages<ReferenceCount>> {
  const pages = await readPages<CountRow>(async (last) => {
    const { rows } = await db.query<CountRow>(COUNTS, [last?.feature_name ?? '', visible]);
    return rows;
  });
  return mapPages(pages, ({ feature_name, calls, mentions, repositories }) => ({
    featureName: feature_name,
    calls,
    mentions,
    repositories,
  }));
}

const COUNTS = pageOf({
  from: `
    select
      c.feature_name,
      count(*) filter (where c.kind = 'call')::int as calls,
      count(*) filter (where c.kind = 'mention')::int as mentions,
      count(distinct r.name)::int as repositories,
      100 as size_bytes
    from code_references as c
    join code_repositories as r on r.id = c.repository_id
    where c.feature_name > $1
      and ($2::text[] is null or c.feature_name in (select name from features where project = any ($2)))
    group by c.feature_name`,
  order: 'feature_name',
});

type NameRow = {
  readonly name: string;
  readonly project: string;
  readonly archived: boolean;
  readonly size_bytes: number;
};

/** The names of features, archived or not: of one project, or of all. */
export async function readFeatureNames(
  db: Postgres,
  project: string | undefined,
  visible: Visible,
): Promise<Pages<SearchedName>> {
  const pages = await readPages<NameRow>(async (last) => {
    const { rows } = await db.query<NameRow>(NAMES, [last?.name ?? '', project, visible]);
    return rows;
  });
  return mapPages(pages, ({ name, project: ofProject, archived }) => ({
    name,
    project: ofProject,
    state: archived ? 'archived' : 'active',
  }));
}

const NAMES = pageOf({
  from: `
    select name, project, archived_at is not null as archived, 100 as size_bytes
    from features
    where name > $1
      and ($2::text is null or project = $2)
      and ($3::text[] is null or project = any ($3))`,
  order: 'name',
});
