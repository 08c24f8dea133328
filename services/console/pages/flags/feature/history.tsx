import type { Resource } from '../../../api/requests/resource.ts';
import type { Event, Verdicts } from '../../../types.ts';
import { EventList } from '../../../ui/lists/event-list.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Section } from '../../../ui/parts.tsx';
import { VerdictList } from '../../../ui/lists/verdict-list.tsx';

/** The page Events has the others. */
const SHOWN_EVENTS = 20;

type Props = {
  readonly verdicts: Resource<Verdicts>;
  readonly events: Resource<{ readonly events: readonly Event[] }>;
};

/** What the counts say about a feature, and who changed it. */
export function FeatureHistory({ verdicts, events }: Props) {
  return (
    <div class="columns halves">
      <Section title="Verdicts">
        <Loaded of={verdicts}>
          {({ verdicts: all }) =>
            all.length === 0 ? (
              <Empty>The counts show nothing unusual.</Empty>
            ) : (
              <VerdictList verdicts={all} />
            )
          }
        </Loaded>
      </Section>
      <Section title="Events">
        <Loaded of={events}>
          {({ events: all }) =>
            all.length === 0 ? (
              <Empty>Nobody changed it.</Empty>
            ) : (
              <EventList events={all.slice(0, SHOWN_EVENTS)} />
            )
          }
        </Loaded>
      </Section>
    </div>
  );
}
