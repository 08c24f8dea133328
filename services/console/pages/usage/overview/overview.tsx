import { isOnlySample, useAccounting } from '../../../api/usage/accounting.ts';
import { accountingSentence } from '../../../state/sentences/first-pages.ts';
import { useMay, useMayReadAll } from '../../../api/caller.ts';
import { useEventPage } from '../../../api/events.ts';
import { useConsole } from '../../../console.ts';
import { EventList } from '../../../ui/lists/event-list.tsx';
import { Heading, WindowControl } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Section } from '../../../ui/parts.tsx';
import { LastMinutes } from './last-minutes.tsx';
import { SampleUsage } from './sample-usage.tsx';
import { Reporting } from './reporting.tsx';
import { Sentence } from './sentence.tsx';
import { WorthDoing } from './worth-doing.tsx';

/** Without the applications that registered themselves: those that the chart marks. The list has the first, and the others are one click away. */
const CHANGES = { exceptType: 'application-created', limit: '50' };
const LISTED = 5;

/** Whether everything is accounted for, what is worth doing, who reports and what changed; less to a reader of single projects. */
export function Overview() {
  const mayReadAll = useMayReadAll() !== false;
  const may = useMay();
  return (
    <>
      {mayReadAll ? <Everything /> : <Heading page="Overview" answer={undefined} />}
      <div class="columns">
        <WorthDoing />
        {mayReadAll && <Reporting />}
        {may('READ_EVENTS', 'anywhere') && <LatestChanges />}
      </div>
    </>
  );
}

/** The counts of the installation, which belong to no project. */
function Everything() {
  const accounting = useAccounting();
  return (
    <>
      <Heading page="Overview" answer={accounting.data && accountingSentence(accounting.data)}>
        <WindowControl />
      </Heading>
      <Sentence of={accounting} />
      {accounting.data !== undefined && isOnlySample(accounting.data) ? <SampleUsage /> : <Minutes />}
    </>
  );
}

function Minutes() {
  return useMay()('READ_EVENTS', 'anywhere') ? <MarkedMinutes /> : <LastMinutes changes={[]} />;
}

function MarkedMinutes() {
  return <LastMinutes changes={useEventPage(CHANGES).data?.items ?? []} />;
}

function LatestChanges() {
  const { router } = useConsole();
  const events = useEventPage(CHANGES);
  return (
    <Section title="Latest changes" link={router.linkTo('events')}>
      <Loaded of={events} lines={10}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>Nothing was changed yet.</Empty>
          ) : (
            <EventList events={items.slice(0, LISTED)} />
          )
        }
      </Loaded>
    </Section>
  );
}
