import { type May, actorOf, useCaller, useMay } from '../../../api/caller.ts';
import { say } from '#base/words';
import { type ChangeRequestPage, useChangeRequests } from './read-change-requests.ts';
import type { Caller, ChangeRequestSummary } from '../../../types.ts';
import { useConsole } from '../../../console.ts';
import { STATES, mayTake, scopeIn, stepsOf } from '../../../state/change-request-steps.ts';
import { formatPlural } from '../../../state/format.ts';
import type { Router } from '../../../state/app/router.ts';
import { Choice } from '../../../ui/lists/filters.tsx';
import { Heading } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name, Time } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { StateBadge } from './state-badge.tsx';

const CHOICES = STATES.map((state) => [state, state] as const);

/** Who asks for which change, and what waits for the reader. */
export function ChangeRequests() {
  const { router } = useConsole();
  const { state } = router.route.value.query;
  const shown = useChangeRequests(state);
  const inReview = useChangeRequests('In review');
  const caller = useCaller();
  const may = useMay();
  return (
    <>
      <Heading
        page="Change requests"
        answer={inReview.data && caller.data && answerOf(inReview.data, caller.data, may)}
      >
        <Choice parameter="state" label="State" choices={CHOICES} />
      </Heading>
      <Loaded of={shown} lines={8}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <Empty>
              {state === undefined ? 'There is no change request yet.' : 'None is in this state.'}
            </Empty>
          ) : (
            <>
              <Rows
                caption="Change requests, newest first"
                columns={columnsOf(router)}
                items={items}
                keyOf={({ id }) => String(id)}
              />
              {nextCursor !== null && (
                <p class="muted">The newest {items.length}. Filter by state to see others.</p>
              )}
            </>
          )
        }
      </Loaded>
    </>
  );
}

function answerOf({ items, nextCursor }: ChangeRequestPage, caller: Caller, may: May): string {
  const many = nextCursor === null ? '' : 'More than ';
  if (!may('APPROVE_CHANGE_REQUEST', 'anywhere'))
    return `${many}${formatPlural(items.length, 'is', 'are')} in review`;
  const waiting = items.filter(
    (item) =>
      stepsOf({ ...item, approvals: [] }, actorOf(caller)).includes('approve') &&
      mayTake('approve', scopeIn(item), may),
  ).length;
  return waiting === 0 ? 'Nothing waits for you' : `${many}${formatPlural(waiting, 'waits', 'wait')} for you`;
}

/** A request without a title is named after its features. */
export function titleOf({ title, features }: Pick<ChangeRequestSummary, 'title' | 'features'>): string {
  return title ?? (features.length === 0 ? 'No changes yet' : features.join(', '));
}

function columnsOf(router: Router): readonly Column<ChangeRequestSummary>[] {
  return [
    {
      id: 'title',
      title: 'Change request',
      show: (item) => (
        <a data-row href={router.linkTo('change-requests', item.project, String(item.id))}>
          <Name>{say`#${item.id} ${titleOf(item)}`}</Name>
        </a>
      ),
    },
    { id: 'state', title: 'State', width: '112px', show: ({ state }) => <StateBadge state={state} /> },
    {
      id: 'approvals',
      title: 'Approvals',
      width: '96px',
      isNumber: true,
      isWide: true,
      show: ({ approvals, minApprovals }) => (
        <span class="number">
          {approvals} of {minApprovals}
        </span>
      ),
    },
    {
      id: 'place',
      title: 'Project, environment',
      width: '22%',
      isWide: true,
      show: ({ project, environment }) => <Name>{say`${project}, ${environment}`}</Name>,
    },
    {
      id: 'author',
      title: 'Author',
      width: '14%',
      isWide: true,
      show: ({ createdBy }) => <Name>{createdBy.username ?? ''}</Name>,
    },
    { id: 'time', title: 'Created', width: '160px', show: ({ createdAt }) => <Time at={createdAt} /> },
  ];
}
