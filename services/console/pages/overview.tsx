import { accountingAnswer, useAccounting } from '../api/accounting.ts';
import { useMay } from '../api/caller.ts';
import { useEvents } from '../api/events.ts';
import { useLive } from '../api/use-live.ts';
import { useConsole } from '../console.ts';
import { EventList } from '../ui/event-list.tsx';
import { Heading, WindowControl } from '../ui/heading.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Empty, Section } from '../ui/parts.tsx';
import { LastHour } from './overview/last-hour.tsx';
import { Reporting } from './overview/reporting.tsx';
import { Sentence } from './overview/sentence.tsx';
import { WorthDoing } from './overview/worth-doing.tsx';

/** Rows of the list. The whole is one click away. */
const FIRST = 5;

/** Whether everything is accounted for, what is worth doing, who reports and what changed. */
export function Overview() {
  const accounting = useAccounting();
  const may = useMay();
  return (
    <>
      <Heading page="Overview" answer={accounting.data && accountingAnswer(accounting.data)}>
        <WindowControl />
      </Heading>
      <Sentence of={accounting} />
      <LastHour />
      <div class="columns">
        <WorthDoing />
        <Reporting />
        {may('ADMIN') && <LatestChanges />}
      </div>
    </>
  );
}

function LatestChanges() {
  const { router } = useConsole();
  const events = useEvents(useLive().step);
  return (
    <Section title="Latest changes" link={router.linkTo('events')}>
      <Loaded of={events} lines={10}>
        {({ events: all }) =>
          all.length === 0 ? (
            <Empty>Nothing was changed yet.</Empty>
          ) : (
            <EventList events={all.slice(0, FIRST)} />
          )
        }
      </Loaded>
    </Section>
  );
}
