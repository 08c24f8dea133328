import { useCodeReferences } from '../../../api/advice/code-references.ts';
import { useFeatureEvents } from '../../../api/events.ts';
import { useFeature, useStrategies } from '../../../api/flags/feature.ts';
import { useVerdicts } from '../../../api/flags/features.ts';
import type { Event } from '../../../types.ts';
import { useUsage } from '../../../api/usage/usage.ts';
import { useConsole } from '../../../console.ts';
import { type BucketCount, sumOf } from '../../../state/chart/counts.ts';
import { whyNoFeature } from '../../../state/paths/feature-name.ts';
import { rangeOf } from '../../../state/time/range.ts';
import { isSwitched } from '../../../state/switched.ts';
import type { Usage } from '../../../state/usage.ts';
import { Heading, WindowControl } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty } from '../../../ui/parts.tsx';
import { MinutesControl, RangeControl } from './usage/range-control.tsx';
import { FeatureActions } from './actions.tsx';
import { FeatureCode } from './code/code.tsx';
import { EnvironmentChoice, useEnvironment } from './environment.tsx';
import { FeatureFacts } from './facts.tsx';
import { FeatureGroups } from './groups.tsx';
import { FeatureHistory } from './history.tsx';
import { FeatureImpact } from './impact/impact.tsx';
import { ProductionContext, useProduction } from './switch/production.ts';
import { FeatureStrategies } from './strategies.tsx';
import { FeatureUsage } from './usage/usage.tsx';
import { FeatureVariants } from './variants/variants.tsx';
import { WhatChanges } from './reach/what-changes.tsx';
import { featureSentence } from '../../../state/sentences/index.ts';

/** One feature: for which share it is on, what the counts say, and who changed it. */
export function Feature({ name }: { readonly name: string }) {
  const found = useFeature(name);
  const feature = found.data?.feature;
  const environment = useEnvironment(feature);
  // The environments of the feature decide what is shown first.
  const isReady = found.data !== undefined || found.problem !== undefined;
  const filter = isReady ? { feature: name, environment } : undefined;
  const usage = useUsage(filter);
  const byApplication = useUsage(filter && { ...filter, groupBy: 'application' });
  const byEnvironment = useUsage({ feature: name, groupBy: 'environment' });
  const strategies = useStrategies(feature);
  const verdicts = useVerdicts({ feature: name });
  const events = useFeatureEvents(name);
  const code = useCodeReferences(name);
  const shownEvents = eventsIn(events.data?.events ?? [], environment);
  return (
    <ProductionContext.Provider value={useProduction()}>
      <Heading page={name} answer={useAnswer({ name, usage: usage.data, environment })}>
        <WindowControl />
        <RangeControl />
        <MinutesControl />
        <EnvironmentChoice feature={feature} environment={environment} />
      </Heading>
      <Loaded of={found} lines={1}>
        {() =>
          feature === undefined ? (
            <Empty>{whyNoFeature(name)}</Empty>
          ) : (
            <>
              <FeatureFacts of={feature} />
              <WhatChanges feature={feature} byApplication={byApplication} code={code.data} />
              <FeatureActions feature={feature} usage={byEnvironment.data} />
              {isSwitched(feature) && (
                <FeatureStrategies
                  feature={feature}
                  strategies={strategies}
                  events={events.data?.events ?? []}
                />
              )}
            </>
          )
        }
      </Loaded>
      <FeatureUsage usage={usage} events={shownEvents} />
      <FeatureVariants
        filter={filter}
        strategies={strategies.data?.find((item) => item.environment === environment)?.strategies ?? []}
        events={shownEvents}
      />
      {isReady && <FeatureImpact feature={name} environment={environment} events={shownEvents} />}
      <div class="columns halves">
        <FeatureGroups title="By application" usage={byApplication} />
        <FeatureGroups title="By environment" usage={byEnvironment} />
      </div>
      <FeatureHistory name={name} verdicts={verdicts} events={events} />
      <FeatureCode references={code} />
    </ProductionContext.Provider>
  );
}

type Known = {
  readonly name: string;
  readonly usage: Usage | undefined;
  readonly environment: string | undefined;
};

/** The heading: the share of evaluations that were enabled in the time window, which says nothing about now. */
function useAnswer({ name, usage, environment }: Known): string | undefined {
  const { query } = useConsole().router.route.value;
  if (usage === undefined) return undefined;
  const { title, to } = rangeOf(query, Date.now());
  const time = `in ${to === undefined ? title : 'this time'}`;
  const [all] = usage.series;
  const counts = { yes: of(all?.yes), no: of(all?.no), unknown: of(all?.unknown) };
  return featureSentence(name, counts, { environment, time });
}

function of(counts: readonly BucketCount[] = []): number {
  return sumOf(counts) ?? 0;
}

/** Events of an environment, and those of the feature as a whole. */
function eventsIn(events: readonly Event[], environment: string | undefined): readonly Event[] {
  return environment === undefined
    ? events
    : events.filter((event) => event.environment === null || event.environment === environment);
}
