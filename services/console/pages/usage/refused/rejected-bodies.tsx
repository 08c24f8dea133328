import type { RejectedBodies as Answer, RejectedBody } from '../../../types.ts';
import { say } from '#base/words';
import { in30DaysTitle } from '../../../state/sentences/index.ts';
import { Cut } from '../../../ui/lists/cut.tsx';
import { Name, Section, Time, Isolated } from '../../../ui/parts.tsx';
import { type Column, Rows } from '../../../ui/lists/rows.tsx';
import { countColumn } from '../../../ui/lists/count-column.tsx';
import { bodyProblemOf } from './body-problems.ts';

type Props = {
  readonly of: Answer;
  readonly nameOf: (tokenId: string) => string;
};

/** Who sends bodies that are not accepted, and why. */
export function RejectedBodies({ of: { rejectedBodies: bodies, total, sum }, nameOf }: Props) {
  if (bodies.length === 0) return null;
  return (
    <Section title={in30DaysTitle('Rejected bodies', sum)}>
      <p class="description">
        Who sends bodies that are not accepted, and why.{' '}
        <span class="muted">Nothing in these bodies was counted.</span>
      </p>
      <Cut shown={bodies.length} total={total} of="lines, the newest ones" />
      <Rows
        caption="Rejected bodies"
        columns={columnsOf(nameOf)}
        items={bodies}
        keyOf={({ day, tokenId, problem }) => JSON.stringify([day, tokenId, problem])}
      />
    </Section>
  );
}

function columnsOf(nameOf: Props['nameOf']): readonly Column<RejectedBody>[] {
  return [
    {
      id: 'sender',
      title: 'Sender',
      show: ({ tokenId, appName, sdk }) => (
        <>
          <Name>{tokenId === null ? 'without a valid token' : nameOf(tokenId)}</Name>
          {[appName, sdk].map((name) => name !== null && <Muted key={name}>{name}</Muted>)}
        </>
      ),
    },
    {
      id: 'problem',
      title: 'Problem',
      width: '44%',
      show: ({ problem, message, status, path, place }) => (
        <div class="wraps">
          {bodyProblemOf(problem).title}: {bodyProblemOf(problem).advice}
          <Muted>{say`${status} at ${path}${place === '' ? '' : `, ${place}`}: ${message}`}</Muted>
        </div>
      ),
    },
    countColumn('Count', 'bodies'),
    {
      id: 'time',
      title: 'First and last',
      width: '304px',
      isNumber: true,
      show: ({ firstAt, lastAt }) => (
        <>
          <Time at={firstAt} /> to <Time at={lastAt} />
        </>
      ),
    },
  ];
}

function Muted({ children }: { readonly children: string }) {
  return (
    <div class="muted">
      <Isolated>{children}</Isolated>
    </div>
  );
}
