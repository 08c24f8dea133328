import { useMay } from '../../../api/caller.ts';
import type { Resource } from '../../../api/requests/resource.ts';
import { useConsole } from '../../../console.ts';
import type { Event, Verdicts } from '../../../types.ts';
import { Cut } from '../../../ui/lists/cut.tsx';
import { EventList } from '../../../ui/lists/event-list.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Section } from '../../../ui/parts.tsx';
import { VerdictList } from '../../../ui/lists/verdict-list.tsx';

/** The page Events has the others. */
const SHOWN_EVENTS = 20;

type Props = {
  readonly name: string;
  readonly verdicts: Resource<Verdicts>;
  readonly events: Resource<{ readonly events: readonly Event[] }>;
};

/** What the counts say about a feature, and who changed it. */
export function FeatureHistory({ name, verdicts, events }: Props) {
  const { router } = useConsole();
  const mayReadEvents = useMay()('READ_EVENTS', 'anywhere');
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
              <>
                <Cut shown={SHOWN_EVENTS} total={all.length} of="events, the newest ones" />
                <EventList events={all.slice(0, SHOWN_EVENTS)} />
                {all.length > SHOWN_EVENTS && mayReadEvents && (
                  <p>
                    <a href={router.listOf('events', { feature: name })}>All its events</a>
                  </p>
                )}
              </>
            )
          }
        </Loaded>
      </Section>
    </div>
  );
}
