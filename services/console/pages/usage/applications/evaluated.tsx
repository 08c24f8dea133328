import { useEvaluatedFeatures } from '../../../api/usage/evaluated-features.ts';
import type { EvaluatedFeature } from '../../../types.ts';
import { useConsole } from '../../../console.ts';
import { formatCount } from '../../../state/format.ts';
import { Loaded } from '../../../ui/loaded.tsx';
import { Pages } from '../../../ui/lists/pages.tsx';
import { Empty, Name, Section } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { ShareOn } from '../../../ui/share-on.tsx';

/** The features that an application evaluated in the time window, those with most evaluations first. */
export function Evaluated({ appName }: { readonly appName: string }) {
  const { after = '' } = useConsole().router.route.value.query;
  const features = useEvaluatedFeatures(appName, after);
  return (
    <Section title="Features that it evaluated">
      <Loaded of={features} lines={8}>
        {({ items, nextCursor }) => (
          <>
            {items.length === 0 ? (
              <Empty>It evaluated nothing in this time.</Empty>
            ) : (
              <Rows
                caption="Features that it evaluated"
                columns={COLUMNS}
                items={items}
                keyOf={({ name, environment }) => JSON.stringify([name, environment])}
              />
            )}
            <Pages parameter="after" first="Most evaluated" next={['Less evaluated', nextCursor]} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

const COLUMNS: readonly Column<EvaluatedFeature>[] = [
  { id: 'feature', title: 'Feature', show: ({ name }) => <FeatureLink name={name} /> },
  {
    id: 'environment',
    title: 'Environment',
    width: '20%',
    show: ({ environment }) => <Name>{environment}</Name>,
  },
  {
    id: 'share',
    title: 'Enabled',
    width: '96px',
    isNumber: true,
    show: ({ yes, no }) => <ShareOn yes={yes} known={yes + no} />,
  },
  {
    id: 'count',
    title: 'Evaluations',
    width: '128px',
    isNumber: true,
    show: ({ yes, no, unknown }) => <span class="number">{formatCount(yes + no + unknown)}</span>,
  },
];

function FeatureLink({ name }: { readonly name: string }) {
  return (
    <a data-row href={useConsole().router.linkTo('features', name)}>
      <Name>{name}</Name>
    </a>
  );
}
