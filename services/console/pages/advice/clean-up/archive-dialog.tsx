import { useState } from 'preact/hooks';
import { type Outcome, archiveAll, openRequest } from '../../../api/advice/clean-up.ts';
import { useConsole } from '../../../console.ts';
import type { Problem } from '../../../api/requests/problem.ts';
import { archivedNotice } from './archived-notice.ts';
import type { Candidate } from './candidate.ts';
import { archiveRequestSentence, archiveSentence, archiveTitle } from '../../../state/sentences/index.ts';
import { Dialog, Field } from '../../../ui/dialogs/dialog.tsx';
import { Trouble } from '../../../ui/loaded.tsx';
import { Isolated, Name } from '../../../ui/parts.tsx';

type Props = {
  readonly candidates: readonly Candidate[];
  readonly onClose: () => void;
  /** Called with the names for which nothing is left to do. */
  readonly onDone: (names: readonly string[]) => void;
};

/** Archives several flags, or opens a change request for them where approvals are required. */
export function ArchiveDialog(props: Props) {
  const { candidates, onClose } = props;
  const { isBusy, problem, left, environment, setEnvironment, archive, request } = useArchive(props);
  const perDay = candidates.reduce((sum, item) => sum + item.evaluationsPerDay, 0);
  const environments = [
    ...new Set(candidates.flatMap(({ reasons }) => reasons.map((reason) => reason.environment))),
  ];
  return (
    <Dialog title={archiveTitle(candidates.length)} onClose={onClose}>
      <div class="fields">
        <ul class="items bounded">
          {candidates.map(({ name }) => (
            <li key={name}>
              <Name>{name}</Name>
              {left.map(
                ({ item, problem: why }) =>
                  item.name === name && (
                    <p key={name}>
                      <Isolated>{why.message}</Isolated>
                    </p>
                  ),
              )}
            </li>
          ))}
        </ul>
        <p>{archiveSentence(perDay)} A flag can be revived, and is then off in every environment.</p>
        <Field label="Environment of a change request">
          <select
            value={environment}
            onChange={(event) => {
              setEnvironment(event.currentTarget.value);
            }}
          >
            {environments.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </Field>
        {problem !== undefined && <Trouble problem={problem} />}
        <p class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" disabled={isBusy} onClick={request}>
            Open a change request
          </button>
          <button type="button" class="primary" disabled={isBusy} onClick={archive}>
            Archive
          </button>
        </p>
      </div>
    </Dialog>
  );
}

function useArchive({ candidates, onClose, onDone }: Props) {
  const { api, changes, notice } = useConsole();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [left, setLeft] = useState<Outcome<Candidate>['left']>([]);
  const [environment, setEnvironment] = useState(candidates[0]?.reasons[0]?.environment ?? '');
  const finish = (names: readonly string[], isWhole: boolean): void => {
    setBusy(false);
    changes.value += 1;
    onDone(names);
    if (isWhole) onClose();
  };
  return {
    isBusy,
    problem,
    left,
    environment,
    setEnvironment,
    archive: async () => {
      setBusy(true);
      const outcome = await archiveAll(api, candidates);
      setLeft(outcome.left);
      const names = outcome.done.map(({ item }) => item.name);
      if (names.length > 0) notice.value = archivedNotice(outcome.done);
      finish(names, outcome.left.length === 0);
    },
    request: async () => {
      setBusy(true);
      const projects = [...new Set(candidates.map(({ project }) => project))];
      const done: Candidate[] = [];
      for (const project of projects) {
        const own = candidates.filter((item) => item.project === project);
        const answer = await openRequest(api, {
          project,
          environment,
          title: archiveTitle(own.length),
          changes: own.map(({ name }) => ({ feature: name, action: 'archiveFeature' })),
        });
        setProblem(answer.problem);
        if (answer.problem !== undefined) break;
        done.push(...own);
      }
      if (done.length > 0)
        notice.value = {
          tone: 'done',
          text: archiveRequestSentence(done.length),
        };
      finish(
        done.map(({ name }) => name),
        done.length === candidates.length,
      );
    },
  };
}
