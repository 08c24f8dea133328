import { type ClickHouse, readUsage } from '#core/clickhouse';
import { type Visible, cleanText } from '#base/tokens';
import type { FlagDebt, FlagDebtQuery } from './schema.ts';

type Figures = { flags: string; overdue_flags: string; evaluations: string; constant_evaluations: string };
type Filter = Pick<FlagDebtQuery, 'project'> & {
  readonly owner?: string | undefined;
  readonly from: string;
  readonly to: string;
  readonly visible: Visible;
};

export type FlagDebtStore = ReturnType<typeof createFlagDebt>;

/** Reads the debt of flags from the public view. */
export function createFlagDebt(db: ClickHouse) {
  return {
    async read({ owner: given, ...others }: Filter): Promise<FlagDebt> {
      const filter = { ...others, owner: given && cleanText(given) };
      const [days, groups] = await Promise.all([readDays(db, filter), readGroups(db, filter)]);
      return {
        days: days.map(({ day, is_complete: isComplete, ...row }) => ({
          day,
          ...figuresOf(row),
          isComplete,
        })),
        totalGroups: Number(groups[0]?.total ?? 0),
        groups: groups.map(({ project, owner, ...row }) => ({
          project,
          owner: owner === '' ? null : owner,
          ...figuresOf(row),
        })),
      };
    },
  };
}

function readDays(db: ClickHouse, filter: Filter) {
  return readUsage<Figures & { day: string; is_complete: boolean }>(
    db,
    `select
       toString(d.day) as day,
       sum(d.flags) as flags,
       sum(d.overdue_flags) as overdue_flags,
       sum(d.evaluations) as evaluations,
       sum(d.constant_evaluations) as constant_evaluations,
       any(d.is_complete) as is_complete
     from flag_debt_by_day as d
     ${conditionsOf(filter)}
     group by d.day
     order by d.day`,
    filter,
  );
}

function readGroups(db: ClickHouse, filter: Filter) {
  return readUsage<Figures & { project: string; owner: string; total: string }>(
    db,
    `select
       d.project as project,
       d.owner as owner,
       sumIf(d.flags, d.day = last_day) as flags,
       sumIf(d.overdue_flags, d.day = last_day) as overdue_flags,
       sum(d.evaluations) as evaluations,
       sum(d.constant_evaluations) as constant_evaluations,
       count() over () as total
     from flag_debt_by_day as d
     cross join (select max(day) as last_day from flag_debt_by_day where day <= {to:Date}) as newest
     ${conditionsOf(filter)}
     group by project, owner
     order by constant_evaluations desc, overdue_flags desc, project, owner
     limit 1000`,
    filter,
  );
}

function conditionsOf({ project, owner, visible }: Filter): string {
  return [
    'where d.day >= {from:Date} and d.day <= {to:Date}',
    ...(visible === undefined ? [] : ['and d.project in {visible:Array(String)}']),
    ...(project === undefined ? [] : ['and d.project = {project:String}']),
    ...(owner === undefined ? [] : ['and d.owner = {owner:String}']),
  ].join(' ');
}

function figuresOf(row: Figures) {
  return {
    flags: Number(row.flags),
    overdueFlags: Number(row.overdue_flags),
    evaluations: Number(row.evaluations),
    constantEvaluations: Number(row.constant_evaluations),
  };
}
