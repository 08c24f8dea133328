import { useState } from 'preact/hooks';
import { type NewRequest, openRequest } from '../../api/clean-up.ts';
import type { Problem } from '../../api/problem.ts';
import { useConsole } from '../../console.ts';
import { Trouble } from '../../ui/loaded.tsx';

type Props = { readonly problem: Problem; readonly request: NewRequest };

/** Why a change was refused. If approvals are required, one click asks for the same change. */
export function Refused({ problem, request }: Props) {
  const { api, notice, router } = useConsole();
  const [second, setSecond] = useState<Problem>();
  const open = async (): Promise<void> => {
    const answer = await openRequest(api, request);
    setSecond(answer.problem);
    if (answer.problem !== undefined) return;
    notice.value = { tone: 'done', text: 'The change request is in review.' };
    router.go('change-requests', request.project, String(answer.body.id));
  };
  return (
    <>
      <Trouble problem={second ?? problem} />
      {problem.status === 409 && (
        <button type="button" class="primary" onClick={open}>
          Open a change request
        </button>
      )}
    </>
  );
}
