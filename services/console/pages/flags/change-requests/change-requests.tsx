import { type May, actorOf, useCaller, useMay } from '../../../api/caller.ts';
import { list, say } from '#base/words';
import { type ChangeRequestPage, useChangeRequests } from './read-change-requests.ts';
import type { Caller, ChangeRequestSummary } from '../../../types.ts';
import { useConsole } from '../../../console.ts';
import { STATES, mayTake, scopeIn, stepsOf } from '../../../state/change-request-steps.ts';
import type { Router } from '../../../state/app/router.ts';
import { Choice } from '../../../ui/lists/filters.tsx';
import { FilterState } from '../../../ui/lists/filter-state.tsx';
import { Heading } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Empty, Name, Time } from '../../../ui/parts.tsx';
import { Pages } from '../../../ui/lists/pages.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { StateBadge } from './state-badge.tsx';
import { changeRequestsSentence } from '../../../state/sentences/index.ts';

const CHOICES = STATES.map((state) => [state, state] as const);

/** Who asks for which change, and what waits for the reader. */
export function ChangeRequests() {
  const { router } = useConsole();
  const { state = '', before = '' } = router.route.value.query;
  const shown = useChangeRequests({ state, cursor: before });
  const inReview = useChangeRequests({ state: 'In review' });
  const caller = useCaller();
  const may = useMay();
  return (
    <>
      <Heading
        page="Change requests"
        answer={inReview.data && caller.data && answerOf(inReview.data, caller.data, may)}
      >
        <Choice parameter="state" label="State" choices={CHOICES} />
        <FilterState parameters={['state']} />
      </Heading>
      <Loaded of={shown} lines={8}>
        {({ items, nextCursor }) => (
          <>
            {items.length === 0 ? (
              <Empty>
                {state === '' && before === '' ? 'There is no change request yet.' : 'None is in this state.'}
              </Empty>
            ) : (
              <Rows
                caption="Change requests, newest first"
                columns={columnsOf(router)}
                items={items}
                keyOf={({ id }) => String(id)}
              />
            )}
            <Pages parameter="before" first="Newest" next={['Older', nextCursor]} />
          </>
        )}
      </Loaded>
    </>
  );
}

function answerOf({ items, nextCursor }: ChangeRequestPage, caller: Caller, may: May): string {
  const waiting = items.filter(
    (item) =>
      stepsOf({ ...item, approvals: [] }, actorOf(caller)).includes('approve') &&
      mayTake('approve', scopeIn(item), may),
  ).length;
  return changeRequestsSentence({
    inReview: items.length,
    waiting: may('APPROVE_CHANGE_REQUEST', 'anywhere') ? waiting : undefined,
    isCut: nextCursor !== null,
  });
}

/** A request without a title is named after its features. */
export function titleOf({ title, features }: Pick<ChangeRequestSummary, 'title' | 'features'>): string {
  return title ?? (features.length === 0 ? 'No changes yet' : list(features));
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
