import type { StrategiesOf } from '../../../../api/flags/feature.ts';
import type { Event } from '../../../../types.ts';
import { type UsageFilter, useUsage } from '../../../../api/usage/usage.ts';
import { type ChartData, variantTone } from '../../../../state/chart/counts.ts';
import { formatCount, formatShare } from '../../../../state/format.ts';
import type { Usage } from '../../../../state/usage.ts';
import { type VariantRow, type Weights, noteOf, variantRows, weightsOf } from './compared-variants.ts';
import { Chart } from '../../../../ui/chart/chart.tsx';
import { Loaded } from '../../../../ui/loaded.tsx';
import { Name, Section } from '../../../../ui/parts.tsx';
import { type Column, Rows } from '../../../../ui/lists/rows.tsx';
import { marksOf } from '../../../../state/events/event-marks.ts';

type Props = {
  readonly filter: UsageFilter | undefined;
  /** The strategies of the environment; none for all environments together, which have no common weights. */
  readonly strategies: StrategiesOf['strategies'];
  readonly events: readonly Event[];
};

/** The variants that were served, against the configured weights. Nothing for a feature without variants. */
export function FeatureVariants({ filter, strategies, events }: Props) {
  const usage = useUsage(filter && { ...filter, groupBy: 'variant' });
  const weights = weightsOf(strategies);
  if (weights === 'none' && (usage.data === undefined || usage.data.series.length === 0)) return null;
  return (
    <Section title="Variants">
      <Loaded of={usage} lines={8}>
        {(data) => {
          const rows = variantRows(data.series, weights);
          const hasChanged = marksOf(events.filter(({ type }) => type.startsWith('feature-strategy-'))).some(
            ({ at }) => at >= (data.starts[0] ?? data.end) && at < data.end,
          );
          return (
            <>
              <Note rows={rows} weights={weights} hasChanged={hasChanged} />
              <Rows caption="Variants" columns={columnsOf(rows)} items={rows} keyOf={keyOf} />
              <Chart
                title="Variants"
                kind="lines"
                data={chartOf(data, rows)}
                marks={marksOf(events)}
                {...(data.zone === undefined ? {} : { zone: data.zone })}
              />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

type NoteProps = {
  readonly rows: readonly VariantRow[];
  readonly weights: Weights;
  readonly hasChanged: boolean;
};

function Note({ rows, weights, hasChanged }: NoteProps) {
  const note = noteOf(rows);
  return (
    <p class="note">
      {note === undefined
        ? NO_NOTE[typeof weights === 'string' ? weights : 'few']
        : `Served against configured weights: ${note}.`}{' '}
      {note !== undefined && (
        <span class="muted">
          A chi-square test of single evaluations: users who evaluate often count often.
          {hasChanged && ' The strategies changed in this time, so older counts may follow other weights.'}
        </span>
      )}
    </p>
  );
}

const NO_NOTE = {
  none: 'No weights to compare with: choose one environment in which strategies have variants.',
  several: 'The strategies have different weights, so there is nothing to compare with.',
  few: 'Too few evaluations to compare with the configured weights.',
} as const;

/** In the order of the rows, so that a variant keeps its colour when another one is served more often. */
function chartOf({ starts, end, completeUntil, series }: Usage, rows: readonly VariantRow[]): ChartData {
  return {
    starts,
    end,
    completeUntil,
    series: rows.map((row, index) => ({
      id: keyOf(row),
      title: row.name ?? 'others',
      tone: variantTone(index),
      counts: series.find(({ group }) => group === row.name)?.served ?? starts.map(() => 0),
    })),
  };
}

/** A variant may have the name of anything, also "others". */
function keyOf({ name }: VariantRow): string {
  return name === null ? 'others' : `variant ${name}`;
}

function columnsOf(rows: readonly VariantRow[]): readonly Column<VariantRow>[] {
  const served = rows.reduce((sum, row) => sum + row.served, 0);
  const weights = rows.reduce((sum, row) => sum + (row.weight ?? 0), 0);
  return [
    {
      id: 'name',
      title: 'Variant',
      show: ({ name }) => (name === null ? <span class="muted">others</span> : <Name>{name}</Name>),
    },
    {
      id: 'served',
      title: 'Served',
      width: '20%',
      isNumber: true,
      label: 'served',
      show: (row) => <span class="number">{formatCount(row.served)}</span>,
    },
    {
      id: 'share',
      title: 'Share',
      width: '20%',
      isNumber: true,
      label: 'of all',
      show: (row) => <span class="number">{formatShare(row.served, served)}</span>,
    },
    {
      id: 'weight',
      title: 'Configured',
      width: '20%',
      isNumber: true,
      label: 'configured',
      show: ({ weight }) => (
        <span class="number">{weight === undefined ? '–' : formatShare(weight, weights)}</span>
      ),
    },
  ];
}
