import { list } from '#base/words';
import { useMay } from '../../../api/caller.ts';
import { type Resource, useResource } from '../../../api/requests/resource.ts';
import type { Subscription } from '../../../types.ts';
import { Heading } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name, Time } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { Messages, PATH, Remove, Switch, Test } from './actions.tsx';
import { NewSubscription } from './new-subscription.tsx';
import { subscriptionsSentence } from '../../../state/sentences/index.ts';

type Answer = { readonly isReady: boolean; readonly subscriptions: readonly Subscription[] };

const EVERY_MS = 10_000;

/** Who is told of verdicts and events, and whether the messages arrive. */
export function Notifications() {
  const subscriptions = useSubscriptions();
  const isReady = subscriptions.data?.isReady === true;
  return (
    <>
      <Heading page="Notifications" answer={subscriptions.data && answerOf(subscriptions.data)}>
        {isReady && <NewSubscription />}
      </Heading>
      <Loaded of={subscriptions} lines={6}>
        {(data) => {
          if (!data.isReady)
            return (
              <Empty>
                Set SECRETS_KEY to 32 random bytes in base64 and start flagmeter again: addresses and secrets
                are stored encrypted.
              </Empty>
            );
          if (data.subscriptions.length === 0)
            return <Empty>Nobody is told of verdicts and events. Create a subscription.</Empty>;
          return (
            <Rows
              caption="Subscriptions"
              columns={COLUMNS}
              items={data.subscriptions}
              keyOf={({ id }) => String(id)}
            />
          );
        }}
      </Loaded>
    </>
  );
}

function useSubscriptions(): Resource<Answer> {
  const may = useMay();
  return useResource(may('ADMIN') ? PATH : undefined, { everyMs: EVERY_MS });
}

function answerOf({ subscriptions }: Answer): string {
  const failing = subscriptions.filter(({ enabled, problem }) => enabled && problem !== null).length;
  return subscriptionsSentence(subscriptions.length, failing);
}

const COLUMNS: readonly Column<Subscription>[] = [
  { id: 'name', title: 'Name', show: ({ name }) => <Name>{name}</Name> },
  { id: 'to', title: 'To', width: '13%', show: ({ host }) => <Name>{host}</Name> },
  {
    id: 'about',
    title: 'About',
    width: '22%',
    isWide: true,
    show: (subscription) => <Name>{aboutOf(subscription)}</Name>,
  },
  { id: 'when', title: 'When', width: '164px', isWide: true, show: whenOf },
  { id: 'state', title: 'Last message', width: '13%', show: (subscription) => <State of={subscription} /> },
  {
    id: 'change',
    title: 'Change',
    width: '280px',
    isNumber: true,
    show: (subscription) => (
      <>
        <Test of={subscription} /> <Messages of={subscription} /> <Switch of={subscription} />{' '}
        <Remove of={subscription} />
      </>
    ),
  },
];

const ABOUT = {
  'verdict-appeared': 'verdicts appear',
  'verdict-ended': 'verdicts end',
  'change-request-waiting': 'change requests wait',
  'token-ending': 'tokens end soon',
  event: 'events',
} as const satisfies Record<Subscription['causes'][number], string>;

function aboutOf({ causes, verdicts, eventTypes, project, owner, tag }: Subscription): string {
  const only = list([...verdicts, ...eventTypes]).replaceAll('_', ' ');
  const scope = list([project, owner, tag].filter((part) => part !== null));
  return [list(causes.map((cause) => ABOUT[cause])), only, scope].filter((part) => part !== '').join('; ');
}

const WEEKDAYS = ['Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays', 'Sundays'];

function whenOf({ schedule, hour, weekday }: Subscription): string {
  if (schedule === 'at-once') return 'at once';
  const day = schedule === 'daily' ? 'daily' : WEEKDAYS[weekday - 1];
  return `${day}, ${hour}:00 UTC`;
}

function State({ of: { enabled, problem, deliveredAt } }: { readonly of: Subscription }) {
  if (!enabled) return <span class="muted">disabled</span>;
  if (problem !== null) return <Name>{problem}</Name>;
  return deliveredAt === null ? <span class="muted">none yet</span> : <Time at={deliveredAt} />;
}
