import { actorOf, useCaller, useMay } from '../../../api/caller.ts';
import { list, say } from '#base/words';
import { useChangeRequest } from './read-change-requests.ts';
import type { ChangeRequest as Request } from '../../../types.ts';
import { mayTake, scopeOf, stepsOf } from '../../../state/change-request-steps.ts';
import { Heading } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Name, Section, Time, Isolated } from '../../../ui/parts.tsx';
import { Comments } from './comments.tsx';
import { FeatureChanges, OtherChanges } from './differences.tsx';
import { EditedSince } from './edited-since.tsx';
import { StateBadge } from './state-badge.tsx';
import { Steps } from './steps.tsx';
import { approvalsSentence } from '../../../state/sentences/index.ts';

type Props = { readonly project: string; readonly id: string };

/** One change request: what would change, who wants it, and the next step. */
export function ChangeRequest({ project, id }: Props) {
  const request = useChangeRequest({ project, id });
  const { data } = request;
  return (
    <>
      <Heading page={say`Change request ${id}`} answer={data && answerOf(data)} />
      <Loaded of={request} lines={8}>
        {(found) => <Content of={found} />}
      </Loaded>
    </>
  );
}

function answerOf({ id, title, state, approvals, minApprovals, missingApprovals }: Request): string {
  const name = title ?? `Change request ${id}`;
  if (missingApprovals !== undefined && state !== 'In review')
    return say`${name} is ${state.toLowerCase()}, but needs more approvals`;
  if (state !== 'In review') return say`${name} is ${state === 'Draft' ? 'a draft' : state.toLowerCase()}`;
  return approvalsSentence(name, Math.max(0, minApprovals - approvals.length));
}

function Content({ of }: { readonly of: Request }) {
  const { id, project, environment, state, createdBy, createdAt, features, segments } = of;
  const caller = useCaller();
  const may = useMay();
  const isOpen = !['Applied', 'Rejected', 'Cancelled'].includes(state);
  return (
    <>
      <ul class="facts">
        <li>
          <StateBadge state={state} />
        </li>
        <li>
          #{id} by <Name>{createdBy.username ?? 'unknown'}</Name>, <Time at={createdAt} />
        </li>
        <li>
          <Name>{project}</Name> in <Name>{environment}</Name>
        </li>
        {of.approvals.length > 0 && <li>approved by {votersOf(of.approvals)}</li>}
        {of.withdrawnApprovals.length > 0 && (
          <li>edited after the approval by {votersOf(of.withdrawnApprovals)}</li>
        )}
        {of.missingApprovals !== undefined && of.approvals.length > 0 && (
          <li>
            <Isolated>{of.missingApprovals}</Isolated>
          </li>
        )}
        {of.state === 'Scheduled' && (
          <li>
            {of.schedule.status === 'pending' ? 'will be applied at ' : `${of.schedule.status}: `}
            <Time at={of.schedule.scheduledAt} /> <Isolated>{of.schedule.reason}</Isolated>
          </li>
        )}
      </ul>
      {caller.data !== undefined && (
        <Steps
          of={of}
          steps={stepsOf(of, actorOf(caller.data)).filter((step) => mayTake(step, scopeOf(of), may))}
        />
      )}
      {caller.data !== undefined && <EditedSince key={`${project} ${id}`} of={of} caller={caller.data} />}
      <Section title="Changes">
        {features.map((feature) => (
          <FeatureChanges key={feature.name} of={feature} place={{ project, environment }} isOpen={isOpen} />
        ))}
        {segments.length > 0 && <OtherChanges changes={segments} />}
      </Section>
      <Comments of={of} mayComment={may('EDIT_CHANGE_REQUEST', { project })} />
    </>
  );
}

function votersOf(votes: Request['approvals']): string {
  return list(votes.map(({ createdBy }) => createdBy.username ?? 'unknown'));
}
