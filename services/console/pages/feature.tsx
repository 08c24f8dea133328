import { useFeatureEvents } from '../api/events.ts';
import { useFeatures, useVerdicts } from '../api/features.ts';
import { EventList } from '../ui/event-list.tsx';
import { Heading } from '../ui/heading.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Empty, Section } from '../ui/parts.tsx';
import { VerdictList } from '../ui/verdict-list.tsx';
import { FeatureActions } from './feature/actions.tsx';

/** One feature: where it is on, what the counts say, and who changed it. */
export function Feature({ name }: { readonly name: string }) {
  const features = useFeatures();
  const verdicts = useVerdicts(name);
  const events = useFeatureEvents(name);
  return (
    <>
      <Heading page={name} answer={name} />
      <Loaded of={features} lines={1}>
        {(all) => {
          const found = all.find((feature) => feature.name === name);
          if (found === undefined)
            return <Empty>There is no active feature with this name. It may be archived.</Empty>;
          return (
            <>
              <dl class="figures">
                <div>
                  <dt>project</dt>
                  <dd>{found.project}</dd>
                </div>
                {found.environments.map((environment) => (
                  <div key={environment.name}>
                    <dt>{environment.name}</dt>
                    <dd>{environment.enabled ? 'on' : 'off'}</dd>
                  </div>
                ))}
              </dl>
              <FeatureActions feature={found} />
            </>
          );
        }}
      </Loaded>
      <div class="columns">
        <Section title="Verdicts">
          <Loaded of={verdicts}>
            {({ verdicts: found }) =>
              found.length === 0 ? (
                <Empty>The counts show nothing unusual.</Empty>
              ) : (
                <VerdictList verdicts={found} />
              )
            }
          </Loaded>
        </Section>
        <Section title="Events">
          <Loaded of={events}>
            {({ events: found }) =>
              found.length === 0 ? (
                <Empty>Nobody changed it.</Empty>
              ) : (
                <EventList events={found.slice(0, 20)} />
              )
            }
          </Loaded>
        </Section>
      </div>
    </>
  );
}
