import { type ClickHouse, isoOf, ofProjects, readUsage } from '#core/clickhouse';
import { snakeCase } from '#base/runtime';
import type { Visible } from '#base/tokens';
import { type Placed, firstPlaces } from '../../http/answers/first-places.ts';
import type { FeatureVerdict, Verdicts } from './schema.ts';
import {
  APP_THRESHOLDS,
  APP_VERDICTS,
  FEATURE_THRESHOLDS,
  FEATURE_VERDICTS,
  type Threshold,
  type Thresholds,
  type Verdict,
} from './thresholds.ts';

/** Absent filters match everything. */
type VerdictFilter = {
  readonly feature?: string | undefined;
  readonly application?: string | undefined;
  readonly environment?: string | undefined;
  readonly verdict?: Verdict | undefined;
  readonly limit: number;
  /** Applications belong to no project. */
  readonly visible: Visible;
};

type Row = {
  environment: string;
  verdict: string;
  at: number;
  value: number;
  threshold: number;
  subject: string;
  sentence: string;
};
/** `total` is the number of rows of the verdict. */
type Counted = Row & Placed & { total: string };
type FeatureRow = Counted & { feature_name: string; evaluations: string };
type AppRow = Counted & { app_name: string };

const COLUMNS = 'environment, verdict, toUnixTimestamp(since) as at, value, threshold, subject, sentence';

export type VerdictsStore = ReturnType<typeof createVerdicts>;

/** Reads the verdicts on features and applications from the public views. */
export function createVerdicts(db: ClickHouse) {
  return {
    /**
     * Lists verdicts on features first, those with the most evaluations at the top, then verdicts on applications. If there are more than the
     * limit, each verdict has the same share of it, so that many of one do not displace the others.
     */
    async list(filter: VerdictFilter, thresholds: Thresholds): Promise<Verdicts> {
      const { feature, application, verdict, limit, visible } = filter;
      const isOfFeature =
        application === undefined &&
        (verdict === undefined || FEATURE_VERDICTS.some((name) => name === verdict));
      const isOfApp =
        visible === undefined &&
        feature === undefined &&
        (verdict === undefined || APP_VERDICTS.some((name) => name === verdict));
      const [features, apps] = await Promise.all([
        isOfFeature ? readFeatures(db, filter, thresholds) : [],
        isOfApp ? readApps(db, filter, thresholds) : [],
      ]);
      const listed = firstPlaces<Counted>([...features, ...apps], limit);
      const verdicts = [
        ...features
          .filter((row) => listed.has(row))
          .map(({ feature_name, evaluations, ...row }) => ({
            featureName: feature_name,
            appName: null,
            evaluations: Number(evaluations),
            ...toVerdict(row),
          })),
        ...apps
          .filter((row) => listed.has(row))
          .map(({ app_name, ...row }) => ({
            featureName: null,
            appName: app_name,
            evaluations: null,
            ...toVerdict(row),
          })),
      ];
      const totals = new Map([...features, ...apps].map((row) => [row.verdict, Number(row.total)]));
      return { totals: [...totals].map(([name, total]) => ({ verdict: name, total })), verdicts };
    },
  };
}

/** Verdicts on one feature with the default thresholds, by environment. */
export async function readFeatureVerdicts(db: ClickHouse, featureName: string): Promise<FeatureVerdict[]> {
  const rows = await readUsage<Row>(
    db,
    `select ${COLUMNS}
     from feature_verdicts
     where feature_name = {featureName:String}
     order by environment, verdict`,
    { featureName },
  );
  return rows.map(toVerdict);
}

function toVerdict({ environment, verdict, at, value, threshold, subject, sentence }: Row): FeatureVerdict {
  const about = subject === '' ? null : subject;
  return { environment, verdict, since: isoOf(at), value, threshold, subject: about, sentence };
}

function readFeatures(db: ClickHouse, filter: VerdictFilter, thresholds: Thresholds): Promise<FeatureRow[]> {
  return readUsage<FeatureRow>(
    db,
    `select *
     from (
       select
         feature_name,
         evaluations,
         ${COLUMNS},
         row_number() over (partition by verdict order by evaluations desc, feature_name, environment) as place,
         count() over (partition by verdict) as total
       from ${viewOf('feature_verdicts', FEATURE_THRESHOLDS, thresholds)}
       where true ${conditionsOf(filter)} ${ofProjects(filter.visible)}
       order by place
       limit {rows:UInt32}
     )
     order by evaluations desc, feature_name, environment, verdict`,
    withRows(filter),
  );
}

function readApps(db: ClickHouse, filter: VerdictFilter, thresholds: Thresholds): Promise<AppRow[]> {
  return readUsage<AppRow>(
    db,
    `select *
     from (
       select
         app_name,
         ${COLUMNS},
         row_number() over (partition by verdict order by app_name, environment, since) as place,
         count() over (partition by verdict) as total
       from ${viewOf('app_verdicts', APP_THRESHOLDS, thresholds)}
       where true ${conditionsOf(filter)}
       order by place
       limit {rows:UInt32}
     )
     order by app_name, environment, verdict, at`,
    withRows(filter),
  );
}

/** At least one row of each verdict, which has the number of all. */
function withRows(filter: VerdictFilter) {
  return { ...filter, rows: Math.max(filter.limit, FEATURE_VERDICTS.length + APP_VERDICTS.length) };
}

/** The default thresholds have a view without parameters, which answers faster. */
function viewOf(
  view: 'feature_verdicts' | 'app_verdicts',
  known: Partial<Record<keyof Thresholds, Threshold>>,
  thresholds: Thresholds,
): string {
  const isDefault = Object.entries(known).every(
    ([name, { defaultValue }]) => thresholds[name as keyof Thresholds] === defaultValue,
  );
  return isDefault ? view : `${view}_at(${argumentsOf(known, thresholds)})`;
}

/**
 * Arguments of a parameterised view cannot be query parameters. All arguments are numbers, so no text of a request becomes part
 * of the query.
 */
function argumentsOf(
  names: Readonly<Record<string, unknown>>,
  thresholds: Readonly<Record<string, number>>,
): string {
  const given = Object.entries(thresholds).filter(([name]) => name in names);
  const words = given.map(([name, value]) => `${snakeCase(name)} = ${value}`);
  return [`at = now('UTC')`, ...words].join(', ');
}

const CONDITIONS = {
  feature: 'and feature_name = {feature:String}',
  application: 'and app_name = {application:String}',
  environment: 'and environment = {environment:String}',
  verdict: 'and verdict = {verdict:String}',
} as const;

function conditionsOf({ feature, application, environment, verdict }: VerdictFilter): string {
  const given = Object.entries({ feature, application, environment, verdict }).filter(
    ([, value]) => value !== undefined,
  );
  return given.map(([name]) => CONDITIONS[name as keyof typeof CONDITIONS]).join(' ');
}
