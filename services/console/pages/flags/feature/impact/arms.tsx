import { say } from '#base/words';
import type { ImpactArm, ImpactComparison } from '../../../../types.ts';
import { formatCount, formatMeasured } from '../../../../state/format.ts';
import { EXPOSURES } from '../../../../state/sentences/index.ts';
import { Swatch } from '../../../../ui/chart/legend.tsx';
import { type Column, Rows } from '../../../../ui/lists/rows.tsx';
import { Name } from '../../../../ui/parts.tsx';
import { rateOf, toneOf } from './comparisons.ts';

/** The arms of a comparison with their numbers. */
export function ImpactArms({ comparison }: { readonly comparison: ImpactComparison }) {
  return (
    <Rows
      caption={say`Arms of ${comparison.metric}`}
      columns={columnsOf(comparison)}
      items={comparison.arms}
      keyOf={({ arm }) => arm}
    />
  );
}

function columnsOf(comparison: ImpactComparison): readonly Column<ImpactArm>[] {
  const { type, control, arms } = comparison;
  const isHistogram = type === 'histogram';
  return [
    {
      id: 'arm',
      title: 'Arm',
      show: ({ arm }) => (
        <>
          <Swatch tone={toneOf(arm, arms)} /> <Name>{arm}</Name>
          {arm === control && <span class="muted"> control</span>}
        </>
      ),
    },
    numbers('exposures', 'Evaluations', ({ exposures }) => formatCount(exposures)),
    ...(isHistogram
      ? [
          numbers('observations', 'Observed', ({ observations }) => formatCount(observations)),
          numbers('mean', 'Mean', (arm) => measured(rateOf(arm, type))),
          numbers('p50', 'p50', ({ quantiles }) => measured(quantiles?.p50)),
          numbers('p95', 'p95', ({ quantiles }) => measured(quantiles?.p95)),
          numbers('p99', 'p99', ({ quantiles }) => measured(quantiles?.p99)),
        ]
      : [
          numbers('sum', 'Sum', ({ value }) => formatCount(value)),
          numbers('rate', `Per ${formatCount(EXPOSURES)}`, (arm) => measured(rateOf(arm, type))),
        ]),
    numbers('ratio', 'Ratio', ({ ratio }) => (ratio === null ? undefined : ratio.toFixed(2))),
    {
      ...numbers('interval', '95 % interval', intervalOf),
      width: '128px',
    },
    numbers('p', 'p', ({ pValue }) => (pValue === null ? undefined : formatSmall(pValue))),
  ];
}

function numbers(
  id: string,
  title: string,
  textOf: (arm: ImpactArm) => string | undefined,
): Column<ImpactArm> {
  return {
    id,
    title,
    width: '88px',
    isNumber: true,
    label: title.toLowerCase(),
    show: (arm) => <span class="number">{textOf(arm) ?? '–'}</span>,
  };
}

function measured(value: number | null | undefined): string | undefined {
  return value === null || value === undefined ? undefined : formatMeasured(value);
}

function intervalOf({ ratioLow, ratioHigh }: ImpactArm): string | undefined {
  return ratioLow === null || ratioHigh === null
    ? undefined
    : `${ratioLow.toFixed(2)} – ${ratioHigh.toFixed(2)}`;
}

function formatSmall(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}
