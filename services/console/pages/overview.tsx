import { accountingAnswer, useAccounting } from '../api/accounting.ts';
import { useApplications } from '../api/applications.ts';
import { useEvents } from '../api/events.ts';
import { useVerdicts } from '../api/features.ts';
import { useConsole } from '../console.ts';
import { formatCount, formatPlural } from '../state/format.ts';
import { worthDoing } from '../state/verdict-kinds.ts';
import { Equation } from '../ui/equation.tsx';
import { EventList } from '../ui/event-list.tsx';
import { Heading, WindowControl } from '../ui/heading.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Empty, Name, Section, Time } from '../ui/parts.tsx';
import { VerdictList } from '../ui/verdict-list.tsx';

/** Rows of each list. The whole is one click away. */
const FIRST = 5;

/** Whether everything is accounted for, what is worth doing, who reports and what changed. */
export function Overview() {
  const accounting = useAccounting();
  return (
    <>
      <Heading page="Overview" answer={accounting.data && accountingAnswer(accounting.data)}>
        <WindowControl />
      </Heading>
      <Loaded of={accounting} lines={2}>
        {({ total }) => (
          <>
            <Equation of={total} />
            {total.inFlight > 0 && (
              <p class="muted">{formatPlural(total.inFlight, 'message')} in the log will be counted next.</p>
            )}
            {total.received === 0 && (
              <Empty>
                <code>make sample</code> fills flagmeter with a shop to look at. To count your own flags,
                point a relay or an SDK at flagmeter.
              </Empty>
            )}
          </>
        )}
      </Loaded>
      <div class="columns">
        <WorthDoing />
        <Reporting />
        <LatestChanges />
      </div>
    </>
  );
}

function WorthDoing() {
  const { router } = useConsole();
  const verdicts = useVerdicts();
  return (
    <Section title="Worth doing" link={router.linkTo('clean-up')}>
      <Loaded of={verdicts} lines={5}>
        {(data) => {
          const found = worthDoing(data.verdicts).slice(0, FIRST);
          return found.length === 0 ? <Empty>Nothing needs you.</Empty> : <VerdictList verdicts={found} />;
        }}
      </Loaded>
    </Section>
  );
}

function Reporting() {
  const { router } = useConsole();
  const applications = useApplications();
  return (
    <Section title="Who reports" link={router.linkTo('applications')}>
      <Loaded of={applications} lines={5}>
        {({ applications: all }) => {
          const latest = [...all]
            .sort((one, other) => other.seenAt.localeCompare(one.seenAt))
            .slice(0, FIRST);
          if (latest.length === 0) return <Empty>No application has reported yet.</Empty>;
          return (
            <ul class="items">
              {latest.map(({ appName, seenAt, totalInstances }) => (
                <li key={appName}>
                  <Name>{appName}</Name>
                  <p>
                    {formatCount(totalInstances)} {totalInstances === 1 ? 'instance' : 'instances'}, last seen{' '}
                    <Time at={seenAt} />
                  </p>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </Section>
  );
}

function LatestChanges() {
  const { router } = useConsole();
  const events = useEvents();
  return (
    <Section title="Latest changes" link={router.linkTo('events')}>
      <Loaded of={events} lines={5}>
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
